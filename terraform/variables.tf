# What they may be is checked in modules/settings and modules/filter, where it is tested.

variable "project" {
  description = "Project of the functions."
  type        = string
}

variable "region" {
  description = "Region of the functions; near the clusters."
  type        = string
}

variable "clusters" {
  description = "Clusters to look after; project where it is another one, ca (base64 PEM) where the endpoint has an authority of its own."
  type = list(object({
    name     = string
    location = string
    endpoint = string
    project  = optional(string)
    ca       = optional(string)
  }))
}

variable "name" {
  description = "Prefix of everything made; the functions' service account has just this name."
  type        = string
  default     = "serverless-reconciler"
}

variable "kinds" {
  description = "Kinds to reconcile and listen for, such as Website; none means all."
  type        = list(string)
  default     = []
}

variable "namespaces" {
  description = "Namespaces to work and listen in; none means the whole cluster."
  type        = list(string)
  default     = []
}

variable "interval_minutes" {
  description = "Time between resyncs."
  type        = number
  default     = 5
}

variable "missed_resyncs" {
  description = "Scheduled resyncs without a successful one after which it is an incident."
  type        = number
  default     = 3
}

variable "deadline_seconds" {
  description = "No resource is begun after this long, in each function."
  type        = object({ resync = optional(number, 300), audit = optional(number, 120) })
  default     = {}
}

variable "events" {
  description = "How audit events come: sink, eventarc or none."
  type        = string
  default     = "sink"
}

variable "fan_out" {
  description = "Whether a resync shares its work out by namespaces over a Pub/Sub topic."
  type        = bool
  default     = false
}

variable "record_bucket" {
  description = "Name of a bucket of your own in which the functions record what runs read and decide; none records nothing."
  type        = string
  default     = ""
}

variable "environment" {
  description = "Further variables of the reconciler, by their names in docs/configuration.md: those that follow from no other variable here."
  type        = map(string)
  default     = {}
}

variable "limits" {
  description = "Memory of each function, and how many instances of the audit function there may be."
  type = object({
    resync_memory = optional(string, "512Mi")
    audit_memory  = optional(string, "512Mi")
    audit_count   = optional(number, 5)
  })
  default = {}
}

variable "notification_channels" {
  description = "Where alerts go: projects/PROJECT/notificationChannels/ID."
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
  description = "Address of the run book that alerts link to: a copy of docs/alerts.md."
  type        = string
  default     = "docs/alerts.md"
}

variable "quiet_hours" {
  description = "Hours without a run for an audit event after which an alert opens, at most 24; 0 for no such alert."
  type        = number
  default     = 0

  validation {
    condition     = var.quiet_hours >= 0 && var.quiet_hours <= 24 && floor(var.quiet_hours) == var.quiet_hours
    error_message = "quiet_hours is a whole number from 0 to 24."
  }
}

variable "network" {
  description = "How the functions reach a VPC: network or subnetwork (Direct VPC egress, with tags), or connector; egress is PRIVATE_RANGES_ONLY or ALL_TRAFFIC. Empty means no VPC."
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
  description = "key of Cloud KMS, projects/P/locations/L/keyRings/R/cryptoKeys/K in the functions' region, for sources, images, functions and topics; none means Google's keys."
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
  description = "Time between the grants and the functions, whose first build needs them everywhere."
  type        = number
  default     = 90
}

variable "build_directory" {
  description = "Where `npm run build` has put resync/ and audit/; by default dist/ of this repository."
  type        = string
  default     = null
}

variable "kinds_file" {
  description = "kinds.json that `generate terraform` wrote of a configuration of your own; by default the kinds of this repository."
  type        = string
  default     = null
}

variable "settings" {
  description = "Variables that kinds of your own depend on, beyond those of this repository; environment may then contain them."
  type        = list(string)
  default     = []
}
