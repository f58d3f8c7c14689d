locals {
  per_run = "sum by (trigger) (increase(%s{${local.on_run}}[${local.window}]))"

  charts = concat(
    [
      { title = "Resyncs done", query = "sum by (cluster) (increase(${local.series.resyncs}{${local.on_run}}[${local.window}]))" },
      { title = "Runs that failed", query = "sum by (service_name, cluster) (increase(${local.series.failed_runs}{${local.on_run}}[${local.window}]))" },
      { title = "Kinds that could not be read", query = format(local.per_run, "${local.series.incomplete_kinds}_sum") },
      {
        title = "Run, 95th percentile (ms)"
        query = "histogram_quantile(0.95, sum by (le, trigger) (rate(${local.series.run_duration}_bucket{${local.on_run}}[${local.window}])))"
      },
      {
        title = "Age of audit events, 95th percentile (ms)"
        query = "histogram_quantile(0.95, sum by (le, cluster) (rate(${local.series.event_age}_bucket{${local.on_run}}[${local.window}])))"
      },
      { title = "Resources that failed", query = format(local.per_run, "${local.series.failed_resources}_sum") },
      { title = "Resources without time", query = format(local.per_run, "${local.series.undone_resources}_sum") },
      {
        title = "Requests by response"
        query = "sum by (service_name, response_code_class) (rate(run_googleapis_com:request_count{${local.on_run},service_name=~\"${var.functions.resync}|${var.functions.audit}\"}[5m]))"
      },
    ],
    length(var.subscriptions) == 0 ? [] : [
      { title = "Messages waiting", query = "sum by (subscription_id) (${local.backlog}{${local.of_pushed}})" },
      { title = "Oldest message (s)", query = "max by (subscription_id) (${local.oldest}{${local.of_pushed}})" },
      { title = "Dead letters", query = local.dead_letters },
    ],
  )
}

output "dashboard" {
  description = "The dashboard, in the JSON form of the API."
  value = jsonencode({
    displayName = var.identifier
    mosaicLayout = {
      columns = 12
      tiles = [
        for at, chart in local.charts : {
          xPos   = 4 * (at % 3)
          yPos   = 4 * floor(at / 3)
          width  = 4
          height = 4
          widget = {
            title = chart.title
            xyChart = {
              dataSets = [{
                plotType        = "LINE"
                timeSeriesQuery = { prometheusQuery = chart.query }
              }]
            }
          }
        }
      ]
    }
  })
}
