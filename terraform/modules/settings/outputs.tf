output "functions" {
  description = "What differs between the two functions: name, timeout and environment."
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
  description = "The clusters by project/location/name, which is what audit entries and logs call them."
  value       = local.clusters
}

output "cron" {
  description = "When resyncs are due, in UTC."
  value       = local.cron
}

output "attempt_deadline_seconds" {
  description = "How long Cloud Scheduler waits for an answer."
  value       = local.timeout_seconds.resync + local.caller_margin_seconds
}

output "ack_deadline_seconds" {
  description = "How long Pub/Sub waits for an answer."
  value       = local.timeout_seconds.audit + local.caller_margin_seconds
}

output "silence_seconds" {
  description = "After this long without a successful resync it is an incident."
  value       = local.silence_seconds

  precondition {
    condition     = local.silence_seconds <= 86400
    error_message = "The alerts look back a day at most: choose fewer missed_resyncs or a shorter interval_minutes."
  }
}

output "retry_count" {
  description = "How often Cloud Scheduler tries a resync again."
  value       = local.retry_count
}

output "failures" {
  description = "Failed runs of one cluster within the silence that are an incident: what missed_resyncs resyncs have, with all their retries where there is but one cluster."
  # A cluster that fails beside healthy ones fails no request: it has a line a resync, and no retries.
  value = var.missed_resyncs * (length(local.clusters) == 1 ? 1 + local.retry_count : 1)
}

output "accounts" {
  description = "Service account IDs: who writes to the clusters, who calls resync, who pushes events, who builds."
  value = {
    runtime  = var.name
    schedule = "${var.name}-cron"
    push     = "${var.name}-push"
    build    = "${var.name}-build"
  }
}

output "user" {
  description = "The user the functions are in the clusters, for RBAC."
  value       = local.user
}

output "streams" {
  description = "Topics that are pushed to the audit function."
  value       = toset(concat(var.events == "sink" ? ["audit"] : [], var.fan_out ? ["fan-out"] : []))
}

output "identifier" {
  description = "The name where dashes are not allowed."
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
