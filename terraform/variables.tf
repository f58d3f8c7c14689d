# Most values are validated in modules/settings and modules/filter, where the validations are tested.

variable "project" {
  description = "Project of the functions."
  type        = string
}

variable "region" {
  description = "Region of the functions; near the clusters."
  type        = string
}

variable "clusters" {
  description = "Clusters to reconcile. project: only if it differs from the functions'. ca: only if the endpoint has an authority of its own, as PEM in base64."
  type = list(object({
    name     = string
    location = string
    endpoint = string
    project  = optional(string)
    ca       = optional(string)
  }))
}

variable "name" {
  description = "Prefix of all names; the functions' service account has exactly this name."
  type        = string
  default     = "serverless-reconciler"
}

variable "kinds" {
  description = "Kinds to reconcile, such as Website; none means all."
  type        = list(string)
  default     = []
}

variable "namespaces" {
  description = "Namespaces to reconcile; none means the whole cluster."
  type        = list(string)
  default     = []
}

variable "interval_minutes" {
  description = "Time between resyncs."
  type        = number
  default     = 5
}

variable "missed_resyncs" {
  description = "Number of scheduled resyncs without a successful one before an alert opens."
  type        = number
  default     = 3
}

variable "deadline_seconds" {
  description = "Time after which a run of each function begins no further resource."
  type        = object({ resync = optional(number, 300), audit = optional(number, 120) })
  default     = {}
}

variable "events" {
  description = "How audit events are delivered: sink, eventarc or none."
  type        = string
  default     = "sink"
}

variable "fan_out" {
  description = "True to split each resync by namespace over several instances, through a Pub/Sub topic."
  type        = bool
  default     = false
}

variable "record_bucket" {
  description = "Name of an existing bucket in which the functions record what runs read and decide; empty for no recordings."
  type        = string
  default     = ""
}

variable "environment" {
  description = "Further environment variables of the functions (docs/configuration.md), except those that follow from other variables of this module."
  type        = map(string)
  default     = {}
}

variable "limits" {
  description = "Memory of each function, and the maximum number of instances of the audit function."
  type = object({
    resync_memory = optional(string, "512Mi")
    audit_memory  = optional(string, "512Mi")
    audit_count   = optional(number, 5)
  })
  default = {}
}

variable "notification_channels" {
  description = "Notification channels of the alerts: projects/PROJECT/notificationChannels/ID."
  type        = list(string)
  default     = []
}

variable "alerts" {
  description = "Alert policies: one for each alert (separate), one with a condition for each (grouped), or none."
  type        = string
  default     = "separate"

  validation {
    condition     = contains(["separate", "grouped", "none"], var.alerts)
    error_message = "alerts is separate, grouped or none."
  }
}

variable "runbook" {
  description = "Address of the runbook that alerts link to: a copy of docs/alerts.md."
  type        = string
  default     = "docs/alerts.md"
}

variable "quiet_hours" {
  description = "Alert if no audit event has caused a run for so many hours, at most 24; 0: never."
  type        = number
  default     = 0

  validation {
    condition     = var.quiet_hours >= 0 && var.quiet_hours <= 24 && floor(var.quiet_hours) == var.quiet_hours
    error_message = "quiet_hours is a whole number from 0 to 24."
  }
}

variable "network" {
  description = "How the functions reach a VPC: either network or subnetwork (Direct VPC egress, with optional tags), or connector. egress is PRIVATE_RANGES_ONLY or ALL_TRAFFIC. Empty: no VPC."
  type = object({
    network    = optional(string)
    subnetwork = optional(string)
    tags       = optional(list(string))
    connector  = optional(string)
    egress     = optional(string, "PRIVATE_RANGES_ONLY")
  })
  default = {}

  validation {
    condition     = var.network.connector == null || (var.network.network == null && var.network.subnetwork == null)
    error_message = "Give a connector, or a network or subnetwork: Cloud Run takes one of them."
  }
  validation {
    condition     = contains(["PRIVATE_RANGES_ONLY", "ALL_TRAFFIC"], var.network.egress)
    error_message = "egress is PRIVATE_RANGES_ONLY or ALL_TRAFFIC."
  }
}

variable "encryption" {
  description = "Cloud KMS key for sources, images, functions and topics, in the functions' region: projects/P/locations/L/keyRings/R/cryptoKeys/K. Without it, Google's keys are used."
  type        = object({ key = optional(string) })
  default     = {}

  validation {
    condition     = var.encryption.key == null ? true : can(regex("^projects/[^/]+/locations/[^/]+/keyRings/[^/]+/cryptoKeys/[^/]+$", var.encryption.key))
    error_message = "A key is projects/P/locations/L/keyRings/R/cryptoKeys/K, without a version."
  }
}

variable "labels" {
  description = "Labels of every resource that can have labels."
  type        = map(string)
  default     = {}
}

variable "grant_seconds" {
  description = "Seconds to wait between the grants and the first build, which fails if a grant is not yet known everywhere."
  type        = number
  default     = 90
}

variable "build_directory" {
  description = "Directory with resync/ and audit/, as `npm run build` writes them; default: dist/ of this repository."
  type        = string
  default     = null
}

variable "kinds_file" {
  description = "Path of the kinds.json that `generate terraform` wrote for your kinds; default: the kinds of this repository."
  type        = string
  default     = null
}

variable "settings" {
  description = "Names of further environment variables that your kinds depend on, which `environment` may then contain."
  type        = list(string)
  default     = []
}
