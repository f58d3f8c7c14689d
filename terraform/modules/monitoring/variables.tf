variable "identifier" {
  description = "Prefix of the log-based metrics."
  type        = string
}

variable "functions" {
  description = "Names of the two functions."
  type        = object({ resync = string, audit = string })
}

variable "clusters" {
  description = "Names of the clusters in the logs."
  type        = list(string)
}

variable "subscriptions" {
  description = "Push subscriptions; an alert opens if their messages wait."
  type        = list(string)
}

variable "dead_letters" {
  description = "Subscription that holds undelivered audit events."
  type        = string
}

variable "silence_seconds" {
  description = "Seconds without a successful resync before an alert opens."
  type        = number
}

variable "failures" {
  description = "Number of failed runs of one cluster within that time before an alert opens."
  type        = number
}

variable "sinks" {
  description = "Regular expression that matches the sinks' names."
  type        = string
}

variable "alerts" {
  description = "Alert policies: separate, grouped or none."
  type        = string
  default     = "separate"
}

variable "quiet_hours" {
  description = "Alert if no audit event has caused a run for so many hours; 0: never."
  type        = number
  default     = 0
}

variable "runbook" {
  description = "Address of the runbook, which has a heading for each alert."
  type        = string
  default     = "docs/alerts.md"
}
