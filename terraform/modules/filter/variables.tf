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
  description = "Kinds to listen for; none means all."
  type        = list(string)
  default     = []

  validation {
    condition = alltrue([
      for kind in var.kinds : contains(keys(jsondecode(file(coalesce(var.kinds_file, "${path.module}/kinds.json"))).kinds), kind)
    ])
    error_message = "There is no such kind; there are: ${join(", ", keys(jsondecode(file(coalesce(var.kinds_file, "${path.module}/kinds.json"))).kinds))}."
  }
}

variable "namespaces" {
  description = "Namespaces to listen in; none means all."
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
  description = "What `generate terraform` wrote of the kinds; null is this repository's own."
  type        = string
  default     = null
}
