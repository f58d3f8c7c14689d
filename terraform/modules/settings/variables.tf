variable "name" {
  description = "Prefix of all names; the functions' service account has exactly this name."
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
    error_message = "region is a region such as europe-west1 (functions have no zone)."
  }
}

variable "clusters" {
  description = "Clusters to reconcile. endpoint: the DNS endpoint. project: only if it differs from the functions'. ca: only if the endpoint has an authority of its own, as PEM in base64."
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
    error_message = "A cluster's location is a region, such as europe-west1, or a zone, such as europe-west1-b."
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
    error_message = "ca is a PEM file of certificates, in base64; omit it unless the endpoint has an authority of its own."
  }
  validation {
    condition     = length(distinct([for cluster in var.clusters : "${coalesce(cluster.project, var.project)}/${cluster.location}/${cluster.name}"])) == length(var.clusters)
    error_message = "A cluster is listed twice."
  }
}

variable "namespaces" {
  description = "Namespaces to reconcile; none means the whole cluster."
  type        = list(string)
  default     = []
}

variable "kinds" {
  description = "Kinds to reconcile; none means all."
  type        = list(string)
  default     = []
}

variable "interval_minutes" {
  description = "Minutes between resyncs. Drift is repaired within this time plus one run."
  type        = number
  default     = 5

  validation {
    condition = try(
      var.interval_minutes >= 1 && floor(var.interval_minutes) == var.interval_minutes && (
        var.interval_minutes < 60 ? 60 % var.interval_minutes == 0 : var.interval_minutes <= 480 && var.interval_minutes % 60 == 0 && 24 % (var.interval_minutes / 60) == 0
      ),
      false,
    )
    error_message = "interval_minutes divides an hour (such as 1, 5 or 20), or is whole hours that divide a day (such as 60 or 240), up to 480: cron has no other regular intervals, and alerts look back a day, which must contain two resyncs."
  }
}

variable "missed_resyncs" {
  description = "Number of scheduled resyncs without a successful one before an alert opens."
  type        = number
  default     = 3

  validation {
    condition     = var.missed_resyncs >= 2 && floor(var.missed_resyncs) == var.missed_resyncs
    error_message = "missed_resyncs is a whole number from 2: a single missed resync is made up for by the next."
  }
}

variable "deadline_seconds" {
  description = "Time after which a run of each function begins no further resource."
  type        = object({ resync = optional(number, 300), audit = optional(number, 120) })
  default     = {}

  validation {
    condition     = var.deadline_seconds.resync >= 5 && var.deadline_seconds.resync <= 1740 && floor(var.deadline_seconds.resync) == var.deadline_seconds.resync
    error_message = "deadline_seconds.resync is a whole number from 5 to 1740: Cloud Scheduler waits 30 minutes at most."
  }
  validation {
    condition     = var.deadline_seconds.audit >= 5 && var.deadline_seconds.audit <= 540 && floor(var.deadline_seconds.audit) == var.deadline_seconds.audit
    error_message = "deadline_seconds.audit is a whole number from 5 to 540: Pub/Sub waits ten minutes at most."
  }
}

variable "limits" {
  description = "Memory of each function, and the maximum number of instances of the audit function."
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
    error_message = "Memory is from 256Mi to 4096Mi, or 1Gi to 4Gi: less is too little for a run, and one CPU allows no more."
  }
  validation {
    condition     = var.limits.audit_count >= 1 && var.limits.audit_count <= 1000 && floor(var.limits.audit_count) == var.limits.audit_count
    error_message = "audit_count is a whole number from 1 to 1000."
  }
}

variable "fan_out" {
  description = "True to split each resync by namespace over several instances, through a Pub/Sub topic."
  type        = bool
  default     = false
}

variable "events" {
  description = "How audit events are delivered: sink (a log sink and Pub/Sub), eventarc, or none (resyncs only)."
  type        = string
  default     = "sink"

  validation {
    condition     = contains(["sink", "eventarc", "none"], var.events)
    error_message = "events is sink, eventarc or none."
  }
}

variable "record_bucket" {
  description = "Name of the bucket in which the functions record runs; empty for no recordings."
  type        = string
  default     = ""

  validation {
    condition     = var.record_bucket == "" || can(regex("^[a-z0-9][a-z0-9._-]{1,220}[a-z0-9]$", var.record_bucket))
    error_message = "record_bucket is the name of a bucket, without gs:// and path."
  }
}

variable "environment" {
  description = "Further environment variables of the functions, among those in environment_forms (docs/configuration.md)."
  type        = map(string)
  default     = {}

  validation {
    condition = alltrue([
      for key, value in var.environment : contains(keys(local.environment_forms), key) ? try(value == "" || can(regex(local.environment_forms[key].form, value)), false) : contains(var.settings, key)
    ])
    error_message = "environment may contain only these variables, and those that kinds depend on: ${join(", ", [for name, one in local.environment_forms : "${name} (${one.want})"])}."
  }
}

variable "settings" {
  description = "Variables that kinds depend on, beyond those in environment_forms."
  type        = list(string)
  default     = []

  validation {
    condition     = alltrue([for name in var.settings : can(regex("^[A-Z][A-Z0-9_]*$", name))])
    error_message = "Each of settings is the name of an environment variable: upper-case letters, digits and _."
  }
}
