output "functions" {
  description = "Name, timeout and environment of each function."
  value = {
    for name, timeout in local.timeout_seconds : name => {
      name            = "${var.name}-${name}"
      timeout_seconds = timeout
      environment = {
        for key, value in merge(local.shared_environment, local.own_environment[name], {
          DEADLINE_SECONDS = tostring(var.deadline_seconds[name])
          NODE_OPTIONS     = "--enable-source-maps --max-semi-space-size=8 --max-old-space-size=${local.heap_mib[name]}"
        }) : key => value if value != ""
      }
    }
  }
}

output "clusters" {
  description = "The clusters, by their names in audit entries and logs: project/location/name."
  value       = local.clusters
}

output "cron" {
  description = "Schedule of the resyncs: five cron fields, in UTC."
  value       = local.cron
}

output "attempt_deadline_seconds" {
  description = "How long Cloud Scheduler waits for a response."
  value       = local.timeout_seconds.resync + local.caller_margin_seconds
}

output "ack_deadline_seconds" {
  description = "How long Pub/Sub waits for a response."
  value       = local.timeout_seconds.audit + local.caller_margin_seconds
}

output "silence_seconds" {
  description = "Seconds without a successful resync before an alert opens."
  value       = local.silence_seconds

  precondition {
    condition     = local.silence_seconds <= 86400
    error_message = "The alerts look back a day at most: choose fewer missed_resyncs or a shorter interval_minutes."
  }
}

output "retry_count" {
  description = "How often Cloud Scheduler retries a resync."
  value       = local.retry_count
}

output "failures" {
  description = "Number of failed runs of one cluster within silence_seconds before an alert opens: missed_resyncs; with a single cluster, times the attempts of a resync."
  # With several clusters, one that fails does not fail the request: each resync logs one line, and is not
  # retried.
  value = var.missed_resyncs * (length(local.clusters) == 1 ? 1 + local.retry_count : 1)
}

output "accounts" {
  description = "IDs of the service accounts that write to the clusters, call resync, push events and build."
  value = {
    runtime  = var.name
    schedule = "${var.name}-cron"
    push     = "${var.name}-push"
    build    = "${var.name}-build"
  }
}

output "user" {
  description = "User name of the functions in the clusters, for RBAC."
  value       = local.user
}

output "streams" {
  description = "Topics whose messages are pushed to the audit function."
  value       = toset(concat(var.events == "sink" ? ["audit"] : [], var.fan_out ? ["fan-out"] : []))
}

output "identifier" {
  description = "The name with underscores, for places where dashes are not allowed."
  value       = replace(var.name, "-", "_")
}

output "services" {
  description = "APIs to enable in the functions' project."
  value = toset(concat([
    "artifactregistry.googleapis.com",
    "cloudbuild.googleapis.com",
    "cloudfunctions.googleapis.com",
    "cloudresourcemanager.googleapis.com",
    "cloudscheduler.googleapis.com",
    "container.googleapis.com",
    "iam.googleapis.com",
    "logging.googleapis.com",
    "monitoring.googleapis.com",
    "pubsub.googleapis.com",
    "run.googleapis.com",
    "storage.googleapis.com",
  ], var.events == "eventarc" ? ["eventarc.googleapis.com"] : []))
}
