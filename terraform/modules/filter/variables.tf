variable "project" {
  description = "Project of the cluster."
  type        = string
}

variable "location" {
  description = "Region or zone of the cluster."
  type        = string
}

variable "cluster" {
  description = "Name of the cluster."
  type        = string
}

variable "kinds" {
  description = "Kinds whose events are forwarded; none means all."
  type        = list(string)
  default     = []

  validation {
    condition = alltrue([
      for kind in var.kinds : contains(keys(jsondecode(file(coalesce(var.kinds_file, "${path.module}/kinds.json"))).kinds), kind)
    ])
    error_message = "Unknown kind; known kinds: ${join(", ", keys(jsondecode(file(coalesce(var.kinds_file, "${path.module}/kinds.json"))).kinds))}."
  }
}

variable "namespaces" {
  description = "Namespaces whose events are forwarded; none means all."
  type        = list(string)
  default     = []

  validation {
    condition     = alltrue([for name in var.namespaces : can(regex("^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$", name))])
    error_message = "A namespace is a DNS label."
  }
}

variable "own_identity" {
  description = "User names under which the functions write; their writes of children are not forwarded."
  type        = list(string)
  default     = []
}

variable "kinds_file" {
  description = "Path of the kinds.json that `generate terraform` wrote; null: this repository's kinds."
  type        = string
  default     = null
}
