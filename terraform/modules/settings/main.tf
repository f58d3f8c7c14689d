# Names, times and environment of an installation; no provider, so it is tested as it is.

locals {
  # What was begun before the deadline gets 15 s to be finished; the rest is starting and answering.
  grace_seconds = 15
  start_seconds = 30
  # Whoever calls waits longer than the function may take, so that nothing runs twice at once.
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
  # The last resync that counts may take as long as it is allowed to.
  silence_seconds = 60 * ceil((var.missed_resyncs * var.interval_minutes * 60 + local.timeout_seconds.resync) / 60)

  # A resync that is refused would be lost without them; they end at the next resync anyway.
  retry_count = 3

  memory_mib = {
    for name, text in { resync = var.limits.resync_memory, audit = var.limits.audit_memory } :
    name => tonumber(regex("^[0-9]+", text)) * (endswith(text, "Gi") ? 1024 : 1)
  }
  # By itself Node takes half of the memory for its heap, and fails with the other half free.
  heap_mib = { for name, mib in local.memory_mib : name => floor(min(0.75 * mib, mib - 128)) }

  user  = "${var.name}@${var.project}.iam.gserviceaccount.com"
  topic = "projects/${var.project}/topics/${var.name}-fan-out"

  shared_environment = merge(var.environment, {
    # A bare list of one is as good as CLUSTER_ENDPOINT, and the same for several.
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
  # Pub/Sub and Eventarc alone may call the audit function, so what its entries report may be named.
  own_environment = {
    resync = { FAN_OUT_TOPIC = var.fan_out ? local.topic : "" }
    audit  = { ATTRIBUTE_REPAIRS = "true" }
  }
}
