# One account for each thing that is done; none has a key, none has rights to Kubernetes objects by IAM.

resource "google_service_account" "this" {
  for_each = module.settings.accounts

  project      = var.project
  account_id   = each.value
  display_name = "${var.name}: ${each.key}"

  depends_on = [google_project_service.enabled]
}

# Rights to objects come from RBAC alone. roles/container.developer and its kin would come on top of
# RBAC and give write access to every workload and Secret.
resource "google_project_iam_custom_role" "connect" {
  for_each = toset([for cluster in module.settings.clusters : cluster.project])

  project     = each.value
  role_id     = "${module.settings.identifier}_connect"
  title       = "${var.name}: reach clusters"
  description = "Reach the DNS endpoint of a cluster; what may be done there is RBAC's."
  permissions = ["container.clusters.connect"]

  depends_on = [google_project_service.enabled]
}

resource "google_project_iam_member" "connect" {
  for_each = google_project_iam_custom_role.connect

  project = each.value.project
  role    = each.value.id
  member  = google_service_account.this["runtime"].member
}

# The build installs a package from the internet: it may write its logs and these functions' images, and
# read their sources, not more.
resource "google_project_iam_member" "build" {
  project = var.project
  role    = "roles/logging.logWriter"
  member  = google_service_account.this["build"].member
}

resource "google_artifact_registry_repository_iam_member" "build" {
  project    = var.project
  location   = google_artifact_registry_repository.images.location
  repository = google_artifact_registry_repository.images.repository_id
  role       = "roles/artifactregistry.writer"
  member     = google_service_account.this["build"].member
}

# Cloud Functions builds from a copy in a bucket of its own.
resource "google_project_iam_member" "build_sources" {
  project = var.project
  role    = "roles/storage.objectViewer"
  member  = google_service_account.this["build"].member

  condition {
    title      = "sources of functions"
    expression = "resource.name.startsWith(\"projects/_/buckets/gcf-v2-sources-${data.google_project.this.number}-\")"
  }
}

resource "google_storage_bucket_iam_member" "build_archive" {
  bucket = google_storage_bucket.source.name
  role   = "roles/storage.objectViewer"
  member = google_service_account.this["build"].member
}

# Recordings contain what a run read: the functions may add some, and read, replace and delete none.
resource "google_storage_bucket_iam_member" "records" {
  count = var.record_bucket == "" ? 0 : 1

  bucket = var.record_bucket
  role   = "roles/storage.objectCreator"
  member = google_service_account.this["runtime"].member
}

# Who may call which function; nobody else may.
resource "google_cloud_run_v2_service_iam_member" "invoker" {
  for_each = { resync = "schedule", audit = "push" }

  project  = var.project
  location = var.region
  name     = google_cloudfunctions2_function.this[each.key].name
  role     = "roles/run.invoker"
  member   = google_service_account.this[each.value].member
}

# Pub/Sub makes the tokens that its pushes carry. Projects from before April 2021 need this grant.
resource "google_service_account_iam_member" "push_token" {
  service_account_id = google_service_account.this["push"].name
  role               = "roles/iam.serviceAccountTokenCreator"
  member             = local.pubsub_agent
}
