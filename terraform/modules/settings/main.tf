# Names, times and environment of an installation. Needs no provider, so tests run the module itself.

locals {
  # Seconds after the deadline to finish resources already begun, then seconds to start and respond.
  grace_seconds = 15
  start_seconds = 30
  # The caller waits longer than the function may take, so that no retry overlaps with the first call.
  caller_margin_seconds = 15

  timeout_seconds = {
    for name, deadline in var.deadline_seconds : name => deadline + local.grace_seconds + local.start_seconds
  }

  clusters = {
    for cluster in var.clusters : "${coalesce(cluster.project, var.project)}/${cluster.location}/${cluster.name}" => {
      project  = coalesce(cluster.project, var.project)
      location = cluster.location
      name     = cluster.name
      endpoint = cluster.endpoint
      ca       = cluster.ca
    }
  }

  cron = (
    var.interval_minutes == 1 ? "* * * * *" :
    var.interval_minutes < 60 ? "*/${var.interval_minutes} * * * *" :
    var.interval_minutes == 60 ? "0 * * * *" : "0 */${var.interval_minutes / 60} * * *"
  )
  # Adds the timeout, because the last resync that counts may use all of it.
  silence_seconds = 60 * ceil((var.missed_resyncs * var.interval_minutes * 60 + local.timeout_seconds.resync) / 60)

  # Repeats a refused resync, which would otherwise be lost; retries end at the next resync.
  retry_count = 3

  memory_mib = {
    for name, text in { resync = var.limits.resync_memory, audit = var.limits.audit_memory } :
    name => tonumber(regex("^[0-9]+", text)) * (endswith(text, "Gi") ? 1024 : 1)
  }
  # Node's default heap limit is half of the memory, so it would fail with the other half free.
  heap_mib = { for name, mib in local.memory_mib : name => floor(min(0.75 * mib, mib - 128)) }

  user  = "${var.name}@${var.project}.iam.gserviceaccount.com"
  topic = "projects/${var.project}/topics/${var.name}-fan-out"

  shared_environment = merge(var.environment, {
    # A list of one cluster is equivalent to CLUSTER_ENDPOINT, so one form serves both cases.
    CLUSTERS = jsonencode([
      for name, cluster in local.clusters : merge(
        { name = name, endpoint = cluster.endpoint },
        cluster.ca == null ? {} : { ca = cluster.ca },
      )
    ])
    KINDS                = join(",", var.kinds)
    NAMESPACES           = join(",", var.namespaces)
    OWN_IDENTITY         = local.user
    RECORD_BUCKET        = var.record_bucket
    GOOGLE_CLOUD_PROJECT = var.project
    LOG_EXECUTION_ID     = "true"
  })
  # Only Pub/Sub and Eventarc may call the audit function, so users in its entries can be trusted.
  own_environment = {
    resync = { FAN_OUT_TOPIC = var.fan_out ? local.topic : "" }
    audit  = { ATTRIBUTE_REPAIRS = "true" }
  }
}
