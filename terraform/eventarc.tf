# The other way for audit events (events = "eventarc"). Flow: one trigger for each exact method name, as
# Eventarc matches nothing else, with a topic and a subscription of Eventarc's own.
# Caveats: no exclusions, so the functions are called for their own writes too, and drop them; no
# clusters told apart; no dead letters and no back-off of ours; methods of custom resources are not in
# Eventarc's catalogue. Prefer the sink.

locals {
  eventarc_methods = var.events != "eventarc" ? [] : distinct(flatten(values(module.filter)[*].methods))
}

resource "google_eventarc_trigger" "audit" {
  for_each = toset(local.eventarc_methods)

  # A trigger's name has at most 63 characters, a method's may have more.
  name     = "${var.name}-${substr(sha256(each.value), 0, 16)}"
  location = "global"
  project  = var.project
  labels   = var.labels

  service_account = google_service_account.this["push"].email

  matching_criteria {
    attribute = "type"
    value     = "google.cloud.audit.log.v1.written"
  }
  matching_criteria {
    attribute = "serviceName"
    value     = "k8s.io"
  }
  matching_criteria {
    attribute = "methodName"
    value     = each.value
  }

  destination {
    cloud_run_service {
      service = google_cloudfunctions2_function.this["audit"].name
      region  = var.region
    }
  }

  depends_on = [
    google_project_iam_member.eventarc,
    google_cloud_run_v2_service_iam_member.invoker,
  ]
}

resource "google_project_iam_member" "eventarc" {
  for_each = toset(var.events == "eventarc" ? ["roles/eventarc.eventReceiver"] : [])

  project = var.project
  role    = each.value
  member  = google_service_account.this["push"].member
}
