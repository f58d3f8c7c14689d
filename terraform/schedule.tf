resource "google_cloud_scheduler_job" "resync" {
  project          = var.project
  name             = "${var.name}-resync"
  description      = "Reconciles every custom resource."
  region           = var.region
  schedule         = module.settings.cron
  time_zone        = "Etc/UTC"
  attempt_deadline = "${module.settings.attempt_deadline_seconds}s"

  retry_config {
    retry_count          = module.settings.retry_count
    min_backoff_duration = "5s"
    max_backoff_duration = "60s"
    max_doublings        = 3
  }

  http_target {
    http_method = "POST"
    uri         = google_cloudfunctions2_function.this["resync"].service_config[0].uri
    headers     = { "Content-Type" = "application/json" }
    body        = base64encode("{}")

    oidc_token {
      service_account_email = google_service_account.this["schedule"].email
      audience              = google_cloudfunctions2_function.this["resync"].service_config[0].uri
    }
  }

  depends_on = [google_cloud_run_v2_service_iam_member.invoker]
}
