# One account for each task, such as scheduling or building. None has a key, or IAM permissions for Kubernetes
# objects.

resource "google_service_account" "this" {
  for_each = module.settings.accounts

  project      = var.project
  account_id   = each.value
  display_name = "${var.name}: ${each.key}"

  depends_on = [google_project_service.enabled]
}

# Permissions on objects come from RBAC alone. IAM roles such as roles/container.developer would add write access
# to every workload and Secret.
resource "google_project_iam_custom_role" "connect" {
  for_each = toset([for cluster in module.settings.clusters : cluster.project])

  project     = each.value
  role_id     = "${module.settings.identifier}_connect"
  title       = "${var.name}: reach clusters"
  description = "Connect to the DNS endpoint of a cluster; RBAC decides what is allowed there."
  permissions = ["container.clusters.connect"]

  depends_on = [google_project_service.enabled]
}

resource "google_project_iam_member" "connect" {
  for_each = google_project_iam_custom_role.connect

  project = each.value.project
  role    = each.value.id
  member  = google_service_account.this["runtime"].member
}

# The build installs a package from the internet, so it may only read the functions' sources, and write their
# images and its logs.
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

# Cloud Functions copies the sources to a bucket of its own, and builds from there.
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

# Recordings contain cluster data, so the functions may add them, but not read, replace or delete any.
resource "google_storage_bucket_iam_member" "records" {
  count = var.record_bucket == "" ? 0 : 1

  bucket = var.record_bucket
  role   = "roles/storage.objectCreator"
  member = google_service_account.this["runtime"].member
}

# Only the scheduler's account may call resync, and only the account of event deliveries may call audit.
resource "google_cloud_run_v2_service_iam_member" "invoker" {
  for_each = { resync = "schedule", audit = "push" }

  project  = var.project
  location = var.region
  name     = google_cloudfunctions2_function.this[each.key].name
  role     = "roles/run.invoker"
  member   = google_service_account.this[each.value].member
}

# Lets Pub/Sub create the tokens for its pushes. Only projects from before April 2021 need this grant.
resource "google_service_account_iam_member" "push_token" {
  service_account_id = google_service_account.this["push"].name
  role               = "roles/iam.serviceAccountTokenCreator"
  member             = local.pubsub_agent
}
