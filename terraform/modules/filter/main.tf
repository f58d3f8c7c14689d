# The sink filter of one cluster. `npm run generate` or `generate terraform` writes kinds.json from
# infra/generate/audit/sink-filter.ts, which the local audit relay uses, too. This module fills in each %s.

locals {
  audited   = jsondecode(file(coalesce(var.kinds_file, "${path.module}/kinds.json")))
  templates = local.audited.templates
  chosen    = [for name, kind in local.audited.kinds : kind if length(var.kinds) == 0 || contains(var.kinds, name)]
  resources = local.chosen[*].resource
  owned     = flatten([for kind in local.chosen : values(kind.children)])
  referred  = merge({}, [for kind in local.chosen : try(kind.refersTo, {})]...)
  types     = concat(local.resources, local.owned, values(local.referred))

  # Excludes only the functions' own writes of plain children. A child that is itself a resource, or that a
  # resource refers to, may need another run.
  children = flatten([for kind in local.chosen : [
    for name, type in kind.children : type if !contains(local.resources[*].pattern, type.pattern) && !contains(keys(local.referred), name)
  ]])

  patterns = {
    for part, types in { all = local.types, children = local.children } : part => join("|", sort(distinct(types[*].pattern)))
  }
  quoted = {
    for key, text in { project = var.project, location = var.location, cluster = var.cluster } : key => replace(text, "\"", "\\\"")
  }
  in_places = length(var.namespaces) == 0 ? [] : [
    format(local.templates.namespaces, join("|", sort(distinct(var.namespaces)))),
  ]

  own = [for name in var.own_identity : format(local.templates.identity, replace(name, "\"", "\\\""))]
  own_writes = length(local.own) == 0 ? {} : {
    own-writes = "(${join(" OR ", local.own)})\n${format(local.templates.childWrites, local.patterns.children)}"
  }
}
