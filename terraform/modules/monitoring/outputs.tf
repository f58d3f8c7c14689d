output "metrics" {
  description = "Log-based metrics: a counter if value is null, otherwise a distribution of that field."
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
  description = "Alerts; an incident is open while the query returns any series."
  value       = local.alerts
}

output "policies" {
  description = "Alert policies by name, each with its conditions: one policy for each alert, one for all, or none."
  value = {
    for name, alerts in local.policies : name => {
      title      = length(alerts) == 1 ? alerts[0].title : "Any alert"
      conditions = alerts
      text = join("\n\n", [
        length(alerts) == 1 ? alerts[0].text : join("\n\n", [for alert in alerts : "**${alert.title}.** ${alert.text}"]),
        "Run book: ${var.runbook}${length(alerts) == 1 ? "#${lower(split(" ", alerts[0].title)[0])}" : ""}",
      ])
    }
  }
}
