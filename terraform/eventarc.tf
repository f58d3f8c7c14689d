# Delivers audit events through Eventarc instead of a log sink (events = "eventarc"). Flow: one trigger for
# each exact method name, because Eventarc matches nothing else; each has its own topic and subscription.
# Caveats: triggers have no exclusions, so the functions receive their own writes and drop them. Clusters are
# not distinguished. Dead letters and back-off cannot be set. Eventarc's catalogue lacks methods of custom
# resources. Prefer the sink.

locals {
  eventarc_methods = var.events != "eventarc" ? [] : distinct(flatten(values(module.filter)[*].methods))
}

resource "google_eventarc_trigger" "audit" {
  for_each = toset(local.eventarc_methods)

  # A trigger's name has at most 63 characters; a method's name may be longer.
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
