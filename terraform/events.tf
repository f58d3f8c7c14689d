# audit: log sinks → topic → push to the audit function. fan-out: resync function → topic → push to it.

resource "google_pubsub_topic" "stream" {
  for_each = module.settings.streams

  project      = var.project
  name         = "${var.name}-${each.key}"
  kms_key_name = var.encryption.key
  labels       = var.labels

  depends_on = [google_project_service.enabled]
}

resource "google_pubsub_topic" "dead_letters" {
  project      = var.project
  name         = "${var.name}-dead-letters"
  kms_key_name = var.encryption.key
  labels       = var.labels

  depends_on = [google_project_service.enabled]
}

# One sink for each cluster, in the cluster's project, because a sink reads only its own project's log.
resource "google_logging_project_sink" "audit" {
  for_each = { for key, cluster in module.settings.clusters : key => cluster if var.events == "sink" }

  project                = each.value.project
  name                   = "${var.name}-${each.value.location}-${each.value.name}"
  description            = "Writes to custom resources and their children, to ${var.name}."
  destination            = "pubsub.googleapis.com/${google_pubsub_topic.stream["audit"].id}"
  filter                 = module.filter[each.key].filter
  unique_writer_identity = true

  dynamic "exclusions" {
    for_each = module.filter[each.key].exclusions

    content {
      name   = exclusions.key
      filter = exclusions.value
    }
  }
}

# Without this grant a sink forwards nothing, and reports no error here.
resource "google_pubsub_topic_iam_member" "sink" {
  for_each = google_logging_project_sink.audit

  project = var.project
  topic   = google_pubsub_topic.stream["audit"].id
  role    = "roles/pubsub.publisher"
  member  = each.value.writer_identity
}

resource "google_pubsub_topic_iam_member" "fan_out" {
  for_each = setintersection(module.settings.streams, ["fan-out"])

  project = var.project
  topic   = google_pubsub_topic.stream[each.key].id
  role    = "roles/pubsub.publisher"
  member  = google_service_account.this["runtime"].member
}

resource "google_pubsub_subscription" "push" {
  for_each = google_pubsub_topic.stream

  project = var.project
  name    = each.value.name
  topic   = each.value.id
  labels  = var.labels

  ack_deadline_seconds = module.settings.ack_deadline_seconds
  # Resyncs have repaired anything older than a day.
  message_retention_duration = "86400s"

  expiration_policy {
    ttl = ""
  }

  retry_policy {
    minimum_backoff = "10s"
    maximum_backoff = "600s"
  }

  dead_letter_policy {
    dead_letter_topic     = google_pubsub_topic.dead_letters.id
    max_delivery_attempts = 15
  }

  push_config {
    push_endpoint = google_cloudfunctions2_function.this["audit"].service_config[0].uri

    oidc_token {
      service_account_email = google_service_account.this["push"].email
      audience              = google_cloudfunctions2_function.this["audit"].service_config[0].uri
    }
  }

  depends_on = [
    google_cloud_run_v2_service_iam_member.invoker,
    google_service_account_iam_member.push_token,
    google_pubsub_subscription.dead_letters,
  ]
}

# Keeps dead letters over a weekend, so that their cause can be found: a topic without a subscription drops
# its messages. A dead letter is a whole audit entry, including the written object.
resource "google_pubsub_subscription" "dead_letters" {
  project = var.project
  name    = google_pubsub_topic.dead_letters.name
  topic   = google_pubsub_topic.dead_letters.id
  labels  = var.labels

  ack_deadline_seconds       = 60
  message_retention_duration = "259200s"

  expiration_policy {
    ttl = ""
  }
}

# Pub/Sub moves a dead letter in two steps: it publishes it to this topic, and acknowledges it in the
# subscription.
resource "google_pubsub_topic_iam_member" "dead_letters" {
  project = var.project
  topic   = google_pubsub_topic.dead_letters.id
  role    = "roles/pubsub.publisher"
  member  = local.pubsub_agent
}

resource "google_pubsub_subscription_iam_member" "dead_letters" {
  for_each = google_pubsub_subscription.push

  project      = var.project
  subscription = each.value.id
  role         = "roles/pubsub.subscriber"
  member       = local.pubsub_agent
}
