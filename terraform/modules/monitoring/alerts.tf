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
      text  = "No resync has read every kind for ${local.window}, so drift may remain. Look at the Cloud Scheduler job's last attempt, then at the log of ${var.functions.resync} at severity ERROR, which names the kinds that could not be read. This alert may also open in the first hour after an installation."
    }
  }
  quiet_alerts = var.quiet_hours == 0 ? {} : {
    for name, selector in local.resyncs_of : trimsuffix("no-events/${name}", "/") => {
      title = trimsuffix("NoAuditEvents of ${name}", " of ")
      query = "(sum(increase(${local.series.event_age}_count{${selector}}[${local.quiet}])) or vector(0)) == 0"
      text  = "No run was caused by an audit event for ${local.quiet}: either nothing was edited, or no events arrive and only resyncs repair drift. Edit a resource, for example a label, and look for the entry in the cluster's audit log, then at the sink, the subscription and the log of ${var.functions.audit}: `another cluster` means that the names of the clusters differ."
    }
  }
  stream_alerts = length(var.subscriptions) == 0 ? {} : {
    old-messages = {
      title = "AuditEventsWait"
      query = "max by (subscription_id) (${local.oldest}{${local.of_pushed}}) > 900"
      text  = "The oldest message is more than 15 minutes old: ${var.functions.audit} refuses it or does not respond. Resyncs still repair drift."
    }
    dead-letters = {
      title = "AuditEventsGivenUp"
      query = "${local.dead_letters} > 0"
      text  = "Messages lie in ${var.dead_letters}. Read one with `gcloud pubsub subscriptions pull`: its attributes say how often delivery was tried. Resyncs have repaired the drift, so the messages can be acknowledged."
    }
    # Exports are counted in the sink's project; for another project, the metrics scope must include it.
    sink-errors = {
      title = "LogSinkFails"
      query = "sum(increase(logging_googleapis_com:exports_error_count{monitored_resource=\"logging_sink\",name=~\"${var.sinks}\"}[1h])) > 0"
      text  = "Cloud Logging cannot publish to the topic: check that the sink's writer has roles/pubsub.publisher."
    }
  }
  failure_alerts = {
    failing-runs = {
      title = "RunsFail"
      # Counts resyncs only, because one outage fails any number of event deliveries, each several times.
      query = "sum by (cluster) (increase(${local.series.failed_runs}{${local.on_run},service_name=\"${var.functions.resync}\"}[${local.window}])) >= ${var.failures}"
      text = join(" ", [
        length(var.clusters) == 1
        ? "At least ${var.failures} runs failed within ${local.window}: several resyncs and their retries."
        : "At least ${var.failures} runs of one cluster failed within ${local.window}. A resync is retried only if every cluster fails. So this means several resyncs if other clusters are healthy, and perhaps only one otherwise.",
        "The log of ${var.functions.resync} at severity ERROR says which cluster, and why.",
      ])
    }
    # Each resync logs the halt for as long as it lasts.
    halted-rollout = {
      title = "RolloutHalted"
      query = "sum by (cluster) (increase(${local.series.halted_rollouts}{${local.on_run}}[${local.window}])) > 0"
      text  = "Resources that a new version of a kind's code changed were not Ready in time, so the others keep the previous version. The log of ${var.functions.resync} names them. Deploy a version that repairs them, or the previous one."
    }
  }
}
