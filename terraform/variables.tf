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
