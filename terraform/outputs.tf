output "user" {
  description = "User name of the functions in the clusters: bind it by RBAC."
  value       = module.settings.user
}

output "functions" {
  description = "Addresses of the two functions; only Cloud Scheduler and Pub/Sub of this project may call them."
  value       = { for name, function in google_cloudfunctions2_function.this : name => function.service_config[0].uri }
}

output "job" {
  description = "The scheduled resync, for `gcloud scheduler jobs run`."
  value       = google_cloud_scheduler_job.resync.id
}

output "sink_filters" {
  description = "What each cluster's log sink forwards."
  value       = { for name, filter in module.filter : name => filter.filter }
}

output "dead_letters" {
  description = "Subscription that holds undelivered audit events."
  value       = google_pubsub_subscription.dead_letters.id
}
