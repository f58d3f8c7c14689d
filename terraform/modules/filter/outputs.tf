output "filter" {
  description = "Filter of the sink, in the logging query language."
  value = join("\n", concat([
    format(local.templates.filter, local.quoted.project, local.quoted.location, local.quoted.cluster, local.patterns.all),
  ], local.in_places))
}

output "exclusions" {
  description = "Exclusions of the sink, by name."
  value       = merge(local.audited.exclusions, local.own_writes)
}

output "methods" {
  description = "The same writes as exact method names, which is all an Eventarc trigger can match."
  value = sort(distinct(flatten([
    for type in local.types : [
      for method in split("|", type.methods) : [for verb in split("|", local.audited.verbs) : "${method}.${verb}"]
    ]
  ])))
}
