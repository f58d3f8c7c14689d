output "filter" {
  description = "What the sink forwards, in the logging query language."
  value = join("\n", concat([
    "log_id(\"cloudaudit.googleapis.com/activity\")",
    "resource.type=\"k8s_cluster\"",
    "resource.labels.project_id=${local.quoted.project}",
    "resource.labels.location=${local.quoted.location}",
    "resource.labels.cluster_name=${local.quoted.cluster}",
    "protoPayload.serviceName=\"k8s.io\"",
    local.writes.all,
  ], local.in_places))
}

output "exclusions" {
  description = "What it keeps back all the same, by name: one concern each."
  value       = merge(local.audited.exclusions, local.own_writes)
}

output "methods" {
  description = "The same writes as exact method names, which is all an Eventarc trigger can match."
  value = sort(distinct(flatten([
    for type in concat(local.resources, local.children) : [
      for verb in split("|", local.audited.verbs) : "${type.group}.${type.version}.${type.plural}.${verb}"
    ]
  ])))
}
