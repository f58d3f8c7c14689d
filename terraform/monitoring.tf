module "monitoring" {
  source = "./modules/monitoring"

  identifier      = module.settings.identifier
  functions       = { for name, function in module.settings.functions : name => function.name }
  clusters        = keys(module.settings.clusters)
  subscriptions   = [for name in module.settings.streams : "${var.name}-${name}"]
  dead_letters    = "${var.name}-dead-letters"
  sinks           = "${var.name}-.*"
  silence_seconds = module.settings.silence_seconds
  failures        = module.settings.failures
  alerts          = var.alerts
  quiet_hours     = var.quiet_hours
  runbook         = var.runbook
}

resource "google_logging_metric" "this" {
  for_each = module.monitoring.metrics

  project          = var.project
  name             = each.value.name
  description      = each.value.text
  filter           = each.value.filter
  value_extractor  = each.value.value
  label_extractors = each.value.labels

  metric_descriptor {
    metric_kind = "DELTA"
    value_type  = each.value.value == null ? "INT64" : "DISTRIBUTION"

    dynamic "labels" {
      for_each = each.value.labels

      content {
        key        = labels.key
        value_type = "STRING"
      }
    }
  }

  dynamic "bucket_options" {
    for_each = each.value.value == null ? [] : [true]

    content {
      exponential_buckets {
        num_finite_buckets = 40
        growth_factor      = 1.5
        scale              = 1
      }
    }
  }

  depends_on = [google_project_service.enabled]
}

resource "google_monitoring_alert_policy" "this" {
  for_each = module.monitoring.policies

  project               = var.project
  display_name          = "${var.name}: ${each.value.title}"
  combiner              = "OR"
  notification_channels = var.notification_channels
  user_labels           = var.labels

  dynamic "conditions" {
    for_each = each.value.conditions

    content {
      display_name = conditions.value.title

      condition_prometheus_query_language {
        query               = conditions.value.query
        duration            = "60s"
        evaluation_interval = "60s"
        # A log-based metric does not exist before its first matching line.
        disable_metric_validation = true
      }
    }
  }

  documentation {
    content   = each.value.text
    mime_type = "text/markdown"
  }

  depends_on = [google_logging_metric.this]
}

resource "google_monitoring_dashboard" "this" {
  project        = var.project
  dashboard_json = module.monitoring.dashboard

  depends_on = [google_project_service.enabled]
}
