locals {
  silence_alerts = {
    for name, selector in local.ticks_of : trimsuffix("no-resync/${name}", "/") => {
      title = trimsuffix("No successful resync of ${name}", " of ")
      query = "(sum(increase(${local.series.ticks}{${selector}}[${local.window}])) or vector(0)) == 0"
      text  = "No tick was done for ${local.window}: drift stands. Look at the Cloud Scheduler job's last attempt, then at the log of ${var.functions.resync}. The first hour after an installation may say so too."
    }
  }
  stream_alerts = length(var.subscriptions) == 0 ? {} : {
    old-messages = {
      title = "Audit events wait"
      query = "max by (subscription_id) (${local.oldest}{${local.of_pushed}}) > 900"
      text  = "The oldest message is more than 15 minutes old: ${var.functions.audit} refuses it or does not answer. Ticks repair all the same."
    }
    dead-letters = {
      title = "Audit events were given up"
      query = "${local.dead_letters} > 0"
      text  = "Messages lie in ${var.dead_letters}. Read one with `gcloud pubsub subscriptions pull`: the attributes say how often it was tried. A tick has repaired what it was about; acknowledge them."
    }
    sink-errors = {
      title = "The log sink does not export"
      query = "sum(increase(logging_googleapis_com:exports_error_count{monitored_resource=\"logging_sink\",name=~\"${var.sinks}\"}[1h])) > 0"
      text  = "Cloud Logging cannot publish to the topic: look at the grant of pubsub.publisher to the sink's writer."
    }
  }
  failure_alerts = {
    failing-runs = {
      title = "Runs fail"
      query = "sum(increase(${local.series.errors}{${local.on_run}}[${local.window}])) >= ${var.failures}"
      text  = "At least ${var.failures} errors within ${local.window}. The log of ${var.functions.resync} and ${var.functions.audit} at severity ERROR says which cluster or kind, and why."
    }
  }
}
