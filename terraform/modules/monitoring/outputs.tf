output "metrics" {
  description = "Log-based metrics: a counter where value is null, else a distribution of that field."
  value = {
    for name, metric in local.metrics : name => merge(metric, {
      name   = "${var.identifier}_${name}"
      filter = "resource.type=\"cloud_run_revision\"\n${metric.filter}"
      labels = { for label in metric.labels : label => "EXTRACT(jsonPayload.${label})" }
      value  = metric.value == null ? null : "EXTRACT(${metric.value})"
    })
  }
}

output "alerts" {
  description = "Alert policies: an incident is open while the query answers with anything."
  value       = merge(local.silence_alerts, local.failure_alerts, local.stream_alerts)
}
