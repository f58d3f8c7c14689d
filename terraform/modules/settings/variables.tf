variable "name" {
  description = "Prefix of everything made; the functions' service account has just this name."
  type        = string
  default     = "serverless-reconciler"

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{4,22}[a-z0-9]$", var.name))
    error_message = "A name has 6 to 24 lower-case letters, digits and dashes: service accounts are named after it."
  }
}

variable "project" {
  description = "Project of the functions."
  type        = string

  validation {
    condition     = can(regex("^[a-z][a-z0-9-]{4,28}[a-z0-9]$", var.project))
    error_message = "Give the project's ID, not its number or name."
  }
}

variable "region" {
  description = "Region of the functions."
  type        = string

  validation {
    condition     = can(regex("^[a-z]+-[a-z]+[0-9]+$", var.region))
    error_message = "A region, as europe-west1: functions have no zone."
  }
}

variable "clusters" {
  description = "Clusters to look after: DNS endpoint as in the cluster's description; project where it is another one; ca in base64 where the endpoint has an authority of its own."
  type = list(object({
    name     = string
    location = string
    endpoint = string
    project  = optional(string)
    ca       = optional(string)
  }))

  validation {
    condition     = length(var.clusters) > 0
    error_message = "Name at least one cluster."
  }
  validation {
    condition     = alltrue([for cluster in var.clusters : can(regex("^[a-z]([a-z0-9-]{0,38}[a-z0-9])?$", cluster.name))])
    error_message = "A cluster's name has up to 40 lower-case letters, digits and dashes."
  }
  validation {
    condition     = alltrue([for cluster in var.clusters : can(regex("^[a-z]+-[a-z]+[0-9]+(-[a-z])?$", cluster.location))])
    error_message = "A cluster's location is a region, as europe-west1, or a zone, as europe-west1-b."
  }
  validation {
    condition     = alltrue([for cluster in var.clusters : can(regex("^${local.host}$", cluster.endpoint))])
    error_message = "An endpoint is a host name, without https://, port and path."
  }
  validation {
    condition = alltrue([
      for cluster in var.clusters : cluster.ca == null ? true : try(
        length(regexall(local.certificate, base64decode(cluster.ca))) == length(regexall(local.begin_certificate, base64decode(cluster.ca)))
        && strcontains(base64decode(cluster.ca), local.begin_certificate),
        false,
      )
    ])
    error_message = "A ca is a PEM file of certificates in base64; leave it out where the endpoint has none of its own."
  }
  validation {
    condition     = length(distinct([for cluster in var.clusters : "${coalesce(cluster.project, var.project)}/${cluster.location}/${cluster.name}"])) == length(var.clusters)
    error_message = "A cluster is listed twice."
  }
}

variable "namespaces" {
  description = "Namespaces to work in; none means the whole cluster."
  type        = list(string)
  default     = []
}

variable "kinds" {
  description = "Kinds to reconcile; none means all."
  type        = list(string)
  default     = []
}

variable "interval_minutes" {
  description = "Time between resyncs. Any divergence is repaired within this and one run."
  type        = number
  default     = 5

  validation {
    condition = try(
      var.interval_minutes >= 1 && floor(var.interval_minutes) == var.interval_minutes && (
        var.interval_minutes < 60 ? 60 % var.interval_minutes == 0 : var.interval_minutes <= 480 && var.interval_minutes % 60 == 0 && 24 % (var.interval_minutes / 60) == 0
      ),
      false,
    )
    error_message = "Minutes that divide an hour, as 1, 5 or 20, or whole hours that divide a day, as 60 or 240, up to 480: cron has no other regular resyncs, and the alerts look back a day, in which two must be missing."
  }
}

variable "missed_resyncs" {
  description = "Scheduled resyncs without a successful one after which it is an incident."
  type        = number
  default     = 3

  validation {
    condition     = var.missed_resyncs >= 2 && floor(var.missed_resyncs) == var.missed_resyncs
    error_message = "A whole number from 2: one missed resync is made good by the next."
  }
}

variable "deadline_seconds" {
  description = "No resource is begun after this long, in each function."
  type        = object({ resync = optional(number, 300), audit = optional(number, 120) })
  default     = {}

  validation {
    condition     = var.deadline_seconds.resync >= 5 && var.deadline_seconds.resync <= 1740 && floor(var.deadline_seconds.resync) == var.deadline_seconds.resync
    error_message = "For resync a whole number from 5 to 1740: Cloud Scheduler waits 30 minutes at most."
  }
  validation {
    condition     = var.deadline_seconds.audit >= 5 && var.deadline_seconds.audit <= 540 && floor(var.deadline_seconds.audit) == var.deadline_seconds.audit
    error_message = "For audit a whole number from 5 to 540: Pub/Sub waits ten minutes at most."
  }
}

variable "limits" {
  description = "Memory of each function, and how many instances of the audit function there may be."
  type = object({
    resync_memory = optional(string, "512Mi")
    audit_memory  = optional(string, "512Mi")
    audit_count   = optional(number, 5)
  })
  default = {}

  validation {
    condition = alltrue([
      for text in [var.limits.resync_memory, var.limits.audit_memory] : try(
        tonumber(regex("^([0-9]+)Mi$", text)[0]) >= 256 && tonumber(regex("^([0-9]+)Mi$", text)[0]) <= 4096,
        contains(["1Gi", "2Gi", "3Gi", "4Gi"], text),
      )
    ])
    error_message = "Memory is from 256Mi to 4096Mi, or 1Gi to 4Gi: less holds no run, one CPU takes no more."
  }
  validation {
    condition     = var.limits.audit_count >= 1 && var.limits.audit_count <= 1000 && floor(var.limits.audit_count) == var.limits.audit_count
    error_message = "audit_count is a whole number from 1 to 1000: with none no event would be heard."
  }
}

variable "fan_out" {
  description = "Whether a resync shares its work out by namespaces over a Pub/Sub topic."
  type        = bool
  default     = false
}

variable "events" {
  description = "How audit events come: sink (a log sink and Pub/Sub), eventarc, or none (resyncs only)."
  type        = string
  default     = "sink"

  validation {
    condition     = contains(["sink", "eventarc", "none"], var.events)
    error_message = "One of sink, eventarc and none."
  }
}

variable "record_bucket" {
  description = "Name of the bucket in which the functions record runs; none records nothing."
  type        = string
  default     = ""

  validation {
    condition     = var.record_bucket == "" || can(regex("^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$", var.record_bucket))
    error_message = "The name of a bucket, without gs:// and path."
  }
}

variable "environment" {
  description = "Further variables of the reconciler: those in environment_forms, by their names in docs/configuration.md."
  type        = map(string)
  default     = {}

  validation {
    condition = alltrue([
      for key, value in var.environment : contains(keys(local.environment_forms), key) ? try(value == "" || can(regex(local.environment_forms[key].form, value)), false) : contains(var.settings, key)
    ])
    error_message = "Of the reconciler's variables, those that follow from no other setting: ${join(", ", [for name, one in local.environment_forms : "${name} (${one.want})"])}."
  }
}

variable "settings" {
  description = "Variables that kinds depend on, beyond those in environment_forms."
  type        = list(string)
  default     = []

  validation {
    condition     = alltrue([for name in var.settings : can(regex("^[A-Z][A-Z0-9_]*$", name))])
    error_message = "A setting is the name of an environment variable: upper-case letters, digits and _."
  }
}
