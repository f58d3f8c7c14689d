# The sink filter of one cluster, from the kinds: kinds.json is written by `npm run generate`.
# Its text is that of shared/audit/sink-filter.ts, whose matcher the local audit relay applies.

locals {
  audited   = jsondecode(file("${path.module}/kinds.json"))
  chosen    = [for name, kind in local.audited.kinds : kind if length(var.kinds) == 0 || contains(var.kinds, name)]
  resources = local.chosen[*].resource
  children  = flatten([for kind in local.chosen : values(kind.children)])

  # Any version: what one writer sends as v1 another sends as v2.
  patterns = {
    for part, types in { all = concat(local.resources, local.children), children = local.children } : part => join("|", sort(distinct([
      for type in types : "${replace(type.group, ".", "\\.")}\\.[^.]+\\.${type.plural}"
    ])))
  }
  writes = {
    for part, pattern in local.patterns : part => "protoPayload.methodName=~\"^(${pattern})(\\.scale)?\\.(${local.audited.verbs})$\""
  }

  quoted = {
    for key, text in { project = var.project, location = var.location, cluster = var.cluster } : key => "\"${replace(text, "\"", "\\\"")}\""
  }
  in_places = length(var.namespaces) == 0 ? [] : [
    "protoPayload.resourceName=~\"/namespaces/(${join("|", sort(distinct(var.namespaces)))})/\"",
  ]

  own        = [for name in var.own_identity : "protoPayload.authenticationInfo.principalEmail=\"${replace(name, "\"", "\\\"")}\""]
  own_writes = length(local.own) == 0 ? {} : { own-writes = "(${join(" OR ", local.own)})\n${local.writes.children}" }
}
