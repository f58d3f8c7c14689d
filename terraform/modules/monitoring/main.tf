# Metrics, alerts and charts. Needs no provider, so tests run the module itself. Alerts and charts are PromQL
# queries, because these can treat an absent series like zeroes: a resync that never succeeded must alert like
# one that stopped succeeding.

locals {
  both   = "resource.labels.service_name=(\"${var.functions.resync}\" OR \"${var.functions.audit}\")"
  resync = "resource.labels.service_name=\"${var.functions.resync}\""

  # With fan-out, resync only publishes the parts; the audit function performs each and logs "resynced".
  done = "jsonPayload.message=\"resynced\""
  gone = "jsonPayload.message=\"fanned out\""

  # Messages of shared/controller/ and functions/response.ts, which are constant; their variables are fields.
  metrics = {
    resyncs = {
      filter = "${local.resync}\n(${local.gone} OR (${local.done} AND jsonPayload.trigger=\"resync\"))\njsonPayload.incomplete=0"
      value  = null
      labels = ["cluster"]
      text   = "Resyncs that read every kind, or published their parts."
    }
    failed_runs = {
      filter = "${local.both}\njsonPayload.message=\"run failed\""
      value  = null
      labels = ["cluster"]
      text   = "Failed runs: one line for each request; with several clusters, for each cluster that failed."
    }
    halted_rollouts = {
      filter = "${local.both}\njsonPayload.message=\"rollout halted\""
      value  = null
      labels = ["cluster"]
      text   = "Resyncs that found the rollout of a kind halted."
    }
    incomplete_kinds = {
      filter = "${local.both}\n(${local.gone} OR ${local.done})"
      value  = "jsonPayload.incomplete"
      labels = ["trigger", "cluster"]
      text   = "Kinds that could not be read in a run."
    }
    run_duration = {
      filter = "${local.both}\n${local.done}"
      value  = "jsonPayload.durationMs"
      labels = ["trigger", "cluster"]
      text   = "Milliseconds of a run."
    }
    event_age = {
      filter = "${local.both}\n${local.done}\njsonPayload.eventAgeMs>=0"
      value  = "jsonPayload.eventAgeMs"
      labels = ["cluster"]
      text   = "Milliseconds from the oldest audit entry of a run to its beginning."
    }
    failed_resources = {
      filter = "${local.both}\n${local.done}"
      value  = "jsonPayload.failures"
      labels = ["trigger", "cluster"]
      text   = "Resources that failed in a run."
    }
    undone_resources = {
      filter = "${local.both}\n${local.done}"
      value  = "jsonPayload.undone"
      labels = ["trigger", "cluster"]
      text   = "Resources that a run had no time left for."
    }
  }

  window = "${var.silence_seconds}s"
  series = {
    for name in keys(local.metrics) : name => "logging_googleapis_com:user_${var.identifier}_${name}"
  }
  on_run       = "monitored_resource=\"cloud_run_revision\""
  of_stream    = "monitored_resource=\"pubsub_subscription\",subscription_id"
  backlog      = "pubsub_googleapis_com:subscription_num_undelivered_messages"
  oldest       = "pubsub_googleapis_com:subscription_oldest_unacked_message_age"
  of_pushed    = "${local.of_stream}=~\"${join("|", var.subscriptions)}\""
  dead_letters = "max(${local.backlog}{${local.of_stream}=\"${var.dead_letters}\"})"

  quiet = "${var.quiet_hours}h"

  # With a single cluster, the log does not name it.
  resyncs_of = length(var.clusters) == 1 ? { "" = local.on_run } : {
    for name in var.clusters : name => "${local.on_run},cluster=\"${name}\""
  }
}
