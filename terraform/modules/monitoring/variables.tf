variable "identifier" {
  description = "Prefix of the log-based metrics."
  type        = string
}

variable "functions" {
  description = "Names of the two functions."
  type        = object({ resync = string, audit = string })
}

variable "clusters" {
  description = "Names of the clusters as the logs have them."
  type        = list(string)
}

variable "subscriptions" {
  description = "Push subscriptions whose messages must not wait."
  type        = list(string)
}

variable "dead_letters" {
  description = "Subscription that holds what could not be delivered."
  type        = string
}

variable "silence_seconds" {
  description = "How long there may be no successful resync."
  type        = number
}

variable "failures" {
  description = "Failed runs within that time, of one cluster, that are an incident."
  type        = number
}

variable "sinks" {
  description = "Regular expression of the sinks' names."
  type        = string
}

variable "alerts" {
  description = "Alert policies: separate, grouped or none."
  type        = string
  default     = "separate"
}

variable "quiet_hours" {
  description = "Hours without a run for an audit event that are an incident; 0 for never."
  type        = number
  default     = 0
}

variable "runbook" {
  description = "Address of the run book; each alert is a heading of it."
  type        = string
  default     = "docs/alerts.md"
}
