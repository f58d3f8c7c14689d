locals {
  alerts = merge(local.silence_alerts, local.failure_alerts, local.stream_alerts, local.quiet_alerts)
  policies = {
    for name in var.alerts == "separate" ? keys(local.alerts) : var.alerts == "grouped" ? ["all"] : [] :
    name => [for key, alert in local.alerts : alert if contains([key, "all"], name)]
  }

  silence_alerts = {
    for name, selector in local.resyncs_of : trimsuffix("no-resync/${name}", "/") => {
      title = trimsuffix("NoSuccessfulResync of ${name}", " of ")
      query = "(sum(increase(${local.series.resyncs}{${selector}}[${local.window}])) or vector(0)) == 0"
      text  = "No resync was done for ${local.window} with every kind read: drift stands. Look at the Cloud Scheduler job's last attempt, then at the log of ${var.functions.resync} at severity ERROR, which names the kinds that could not be read. The first hour after an installation may say so too."
    }
  }
  quiet_alerts = var.quiet_hours == 0 ? {} : {
    for name, selector in local.resyncs_of : trimsuffix("no-events/${name}", "/") => {
      title = trimsuffix("NoAuditEvents of ${name}", " of ")
      query = "(sum(increase(${local.series.event_age}_count{${selector}}[${local.quiet}])) or vector(0)) == 0"
      text  = "No run was caused by an audit event for ${local.quiet}: either nothing was edited, or events do not come and resyncs alone repair drift. Edit a resource, such as by a label, and look for the entry in the cluster's audit log, then at the sink, the subscription and the log of ${var.functions.audit}: `another cluster` means that the names of the clusters differ."
    }
  }
  stream_alerts = length(var.subscriptions) == 0 ? {} : {
    old-messages = {
      title = "AuditEventsWait"
      query = "max by (subscription_id) (${local.oldest}{${local.of_pushed}}) > 900"
      text  = "The oldest message is more than 15 minutes old: ${var.functions.audit} refuses it or does not answer. Resyncs repair all the same."
    }
    dead-letters = {
      title = "AuditEventsGivenUp"
      query = "${local.dead_letters} > 0"
      text  = "Messages lie in ${var.dead_letters}. Read one with `gcloud pubsub subscriptions pull`: the attributes say how often it was tried. A resync has repaired what it was about; acknowledge them."
    }
    # Exports are counted in the sink's project: another one is seen where the metrics scope has it.
    sink-errors = {
      title = "LogSinkFails"
      query = "sum(increase(logging_googleapis_com:exports_error_count{monitored_resource=\"logging_sink\",name=~\"${var.sinks}\"}[1h])) > 0"
      text  = "Cloud Logging cannot publish to the topic: look at the grant of pubsub.publisher to the sink's writer."
    }
  }
  failure_alerts = {
    failing-runs = {
      title = "RunsFail"
      # Of resyncs only: one outage fails as many deliveries of events as come in it, each several times.
      query = "sum by (cluster) (increase(${local.series.failed_runs}{${local.on_run},service_name=\"${var.functions.resync}\"}[${local.window}])) >= ${var.failures}"
      text = join(" ", [
        length(var.clusters) == 1
        ? "At least ${var.failures} runs failed within ${local.window}: several resyncs, and their retries."
        : "At least ${var.failures} runs of one cluster failed within ${local.window}. Beside healthy ones it has one a resync, which is not tried again; where all of them fail at once a resync is, so that a single one may be enough.",
        "The log of ${var.functions.resync} at severity ERROR says which cluster, and why.",
      ])
    }
    # Each resync logs it while it lasts.
    halted-rollout = {
      title = "RolloutHalted"
      query = "sum by (cluster) (increase(${local.series.halted_rollouts}{${local.on_run}}[${local.window}])) > 0"
      text  = "Resources that a new version of their kind's code changed are not Ready in time, and the others keep the version before. The log of ${var.functions.resync} names them. Deploy a version that repairs them, or the one before."
    }
  }
}
