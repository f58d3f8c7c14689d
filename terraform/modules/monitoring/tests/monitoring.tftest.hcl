variables {
  identifier      = "serverless_reconciler"
  functions       = { resync = "r-resync", audit = "r-audit" }
  clusters        = ["p/l/main"]
  subscriptions   = ["r-audit"]
  dead_letters    = "r-dead-letters"
  sinks           = "r-.*"
  silence_seconds = 1260
  failures        = 12
}

run "one_cluster" {
  command = plan

  assert {
    condition     = sort(keys(output.alerts)) == tolist(["dead-letters", "failing-runs", "halted-rollout", "no-resync", "old-messages", "sink-errors"])
    error_message = "Each way in which it fails quietly has an alert."
  }
  assert {
    condition     = output.alerts["no-resync"].query == "(sum(increase(logging_googleapis_com:user_serverless_reconciler_resyncs{monitored_resource=\"cloud_run_revision\"}[1260s])) or vector(0)) == 0"
    error_message = "No series at all counts as zero."
  }
  assert {
    condition     = endswith(output.metrics.resyncs.filter, "\njsonPayload.incomplete=0")
    error_message = "A resync that could not read some kinds is no success."
  }
  assert {
    condition     = endswith(output.metrics.failed_runs.filter, "\njsonPayload.message=\"run failed\"") && !anytrue([for metric in output.metrics : strcontains(metric.filter, "severity")])
    error_message = "Runs are counted, not the lines that one run logs."
  }
  assert {
    condition     = output.alerts["failing-runs"].query == "sum by (cluster) (increase(logging_googleapis_com:user_serverless_reconciler_failed_runs{monitored_resource=\"cloud_run_revision\",service_name=\"r-resync\"}[1260s])) >= 12"
    error_message = "Resyncs only, each cluster by itself."
  }
  assert {
    condition     = output.alerts["halted-rollout"].query == "sum by (cluster) (increase(logging_googleapis_com:user_serverless_reconciler_halted_rollouts{monitored_resource=\"cloud_run_revision\"}[1260s])) > 0"
    error_message = "Any halted rollout of any cluster."
  }
  assert {
    condition     = strcontains(output.alerts["failing-runs"].text, "and their retries") && !strcontains(output.alerts["failing-runs"].text, "of one cluster")
    error_message = "Says what was counted."
  }
  assert {
    condition     = alltrue([for name, metric in output.metrics : strcontains(metric.filter, "\"r-resync\"")])
    error_message = "Metrics count these functions' lines only."
  }
  assert {
    condition     = length(jsondecode(output.dashboard).mosaicLayout.tiles) == 11
    error_message = "The dashboard is JSON."
  }
}

run "several_clusters" {
  command = plan
  variables {
    clusters = ["p/l/a", "p/l/b"]
    failures = 3
  }

  assert {
    condition     = contains(keys(output.alerts), "no-resync/p/l/a") && contains(keys(output.alerts), "no-resync/p/l/b") && !contains(keys(output.alerts), "no-resync")
    error_message = "One silent cluster is not hidden by another."
  }
  assert {
    condition     = strcontains(output.alerts["no-resync/p/l/b"].query, "cluster=\"p/l/b\"") && output.alerts["no-resync/p/l/b"].title == "NoSuccessfulResync of p/l/b"
    error_message = "Each asks for its own."
  }
  assert {
    condition     = startswith(output.alerts["failing-runs"].query, "sum by (cluster) (") && endswith(output.alerts["failing-runs"].query, ">= 3")
    error_message = "Failures are of one cluster."
  }
  assert {
    condition     = strcontains(output.alerts["failing-runs"].text, "of one cluster") && strcontains(output.alerts["failing-runs"].text, "retried only if every cluster fails")
    error_message = "Says what was counted."
  }
}

run "no_events" {
  command = plan
  variables {
    subscriptions = []
  }

  assert {
    condition     = sort(keys(output.alerts)) == tolist(["failing-runs", "halted-rollout", "no-resync"])
    error_message = "No alert on what is not there."
  }
  assert {
    condition     = !strcontains(output.dashboard, "pubsub")
    error_message = "Nor a chart."
  }
}

run "alerts_are_policies_of_their_own" {
  command = plan

  assert {
    condition     = keys(output.policies) == keys(output.alerts) && alltrue([for policy in output.policies : length(policy.conditions) == 1])
    error_message = "Each can be muted on its own."
  }
  assert {
    condition     = endswith(output.policies["failing-runs"].text, "\n\nRun book: docs/alerts.md#runsfail")
    error_message = "Each links to its section of the runbook."
  }
}

run "alerts_can_be_grouped" {
  command = plan
  variables {
    alerts = "grouped"
  }

  assert {
    condition     = length(output.policies) == 1 && output.policies.all.conditions == values(output.alerts) && endswith(output.policies.all.text, "\n\nRun book: docs/alerts.md")
    error_message = "One policy with a condition for each alert."
  }
}

run "alerts_can_be_switched_off" {
  command = plan
  variables {
    alerts = "none"
  }

  assert {
    condition     = length(output.policies) == 0 && length(output.metrics) > 0
    error_message = "No policy; metrics and dashboard stay."
  }
}

run "quiet" {
  command = plan
  variables {
    clusters    = ["p/l/a", "p/l/b"]
    quiet_hours = 6
  }

  assert {
    condition     = output.alerts["no-events/p/l/a"].query == "(sum(increase(logging_googleapis_com:user_serverless_reconciler_event_age_count{monitored_resource=\"cloud_run_revision\",cluster=\"p/l/a\"}[6h])) or vector(0)) == 0"
    error_message = "A cluster without events is not hidden by another."
  }
  assert {
    condition     = strcontains(output.metrics.event_age.filter, "jsonPayload.eventAgeMs>=0")
    error_message = "Runs without an event have no age."
  }
}
