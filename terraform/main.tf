module "settings" {
  source = "./modules/settings"

  name             = var.name
  project          = var.project
  region           = var.region
  limits           = var.limits
  clusters         = var.clusters
  kinds            = var.kinds
  namespaces       = var.namespaces
  interval_minutes = var.interval_minutes
  missed_resyncs   = var.missed_resyncs
  deadline_seconds = var.deadline_seconds
  events           = var.events
  fan_out          = var.fan_out
  record_bucket    = var.record_bucket
  environment      = var.environment
  settings         = var.settings
}

module "filter" {
  source   = "./modules/filter"
  for_each = module.settings.clusters

  project      = each.value.project
  location     = each.value.location
  cluster      = each.value.name
  kinds        = var.kinds
  namespaces   = var.namespaces
  own_identity = [module.settings.user]
  kinds_file   = var.kinds_file
}

data "google_project" "this" {
  project_id = var.project
}

resource "google_project_service" "enabled" {
  for_each = module.settings.services

  project = var.project
  service = each.value
  # Other users of the project may rely on the API by then.
  disable_on_destroy = false
}

locals {
  pubsub_agent = "serviceAccount:service-${data.google_project.this.number}@gcp-sa-pubsub.iam.gserviceaccount.com"
}
