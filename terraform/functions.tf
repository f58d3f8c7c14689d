locals {
  is_direct       = var.network.network != null || var.network.subnetwork != null
  build_directory = coalesce(var.build_directory, "${path.module}/../dist")

  # One resync at a time: Cloud Scheduler retries a call that is refused meanwhile. Several events per
  # instance: they come in bursts, and each refusal uses up one of their attempts.
  scale = {
    resync = { memory = var.limits.resync_memory, count = 1, concurrency = 1 }
    audit  = { memory = var.limits.audit_memory, count = var.limits.audit_count, concurrency = 8 }
  }
}

data "archive_file" "source" {
  for_each = local.scale

  type             = "zip"
  source_dir       = "${local.build_directory}/${each.key}"
  output_path      = "${local.build_directory}/${each.key}.zip"
  output_file_mode = "0644"
}

resource "google_storage_bucket" "source" {
  project                     = var.project
  name                        = "${var.project}-${var.name}-source"
  location                    = var.region
  uniform_bucket_level_access = true
  public_access_prevention    = "enforced"
  force_destroy               = true
  labels                      = var.labels

  dynamic "encryption" {
    for_each = var.encryption.key[*]

    content {
      default_kms_key_name = encryption.value
    }
  }

  depends_on = [google_project_service.enabled]
}

# The name contains a digest, so that changed content is a new object and is deployed.
resource "google_storage_bucket_object" "source" {
  for_each = data.archive_file.source

  bucket = google_storage_bucket.source.name
  name   = "${each.key}-${each.value.output_sha256}.zip"
  source = each.value.output_path

  lifecycle {
    create_before_destroy = true
  }
}

# By default all functions of a project share one repository, where one build can overwrite another's images.
resource "google_artifact_registry_repository" "images" {
  project       = var.project
  location      = var.region
  repository_id = var.name
  format        = "DOCKER"
  description   = "Images of ${var.name}'s functions."
  kms_key_name  = var.encryption.key
  labels        = var.labels

  cleanup_policies {
    id     = "recent"
    action = "KEEP"

    most_recent_versions {
      keep_count = 5
    }
  }

  cleanup_policies {
    id     = "old"
    action = "DELETE"

    condition {
      older_than = "2592000s"
    }
  }

  depends_on = [google_project_service.enabled]
}

# Waits until the grants are known everywhere, which takes about a minute: a build without them fails.
resource "time_sleep" "grants" {
  create_duration = "${var.grant_seconds}s"

  # Waits again when one of these grants is replaced.
  triggers = {
    build = join(" ", concat(
      [
        google_project_iam_member.build.id,
        google_project_iam_member.build_sources.id,
        google_artifact_registry_repository_iam_member.build.id,
        google_storage_bucket_iam_member.build_archive.id,
      ],
      values(google_project_iam_member.connect)[*].id,
    ))
  }
}

resource "google_cloudfunctions2_function" "this" {
  for_each = module.settings.functions

  project      = var.project
  name         = each.value.name
  location     = var.region
  kms_key_name = var.encryption.key
  labels       = var.labels

  build_config {
    runtime           = "nodejs24"
    entry_point       = each.key
    service_account   = google_service_account.this["build"].id
    docker_repository = google_artifact_registry_repository.images.id

    source {
      storage_source {
        bucket = google_storage_bucket.source.name
        object = google_storage_bucket_object.source[each.key].name
      }
    }
  }

  service_config {
    service_account_email            = google_service_account.this["runtime"].email
    ingress_settings                 = "ALLOW_INTERNAL_ONLY"
    timeout_seconds                  = each.value.timeout_seconds
    available_memory                 = local.scale[each.key].memory
    available_cpu                    = "1"
    min_instance_count               = 0
    max_instance_count               = local.scale[each.key].count
    max_instance_request_concurrency = local.scale[each.key].concurrency
    environment_variables            = each.value.environment
    vpc_connector                    = var.network.connector
    vpc_connector_egress_settings    = var.network.connector == null ? null : var.network.egress
    direct_vpc_egress                = local.is_direct ? "VPC_EGRESS_${var.network.egress}" : null

    dynamic "direct_vpc_network_interface" {
      for_each = local.is_direct ? [var.network] : []

      content {
        network    = direct_vpc_network_interface.value.network
        subnetwork = direct_vpc_network_interface.value.subnetwork
        tags       = direct_vpc_network_interface.value.tags
      }
    }
  }

  depends_on = [
    google_project_service.enabled,
    time_sleep.grants,
  ]
}
