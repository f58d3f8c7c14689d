import { writeVerbs } from '../../shared/audit/filter.ts';
import { methodGroup } from '../../shared/audit/resource-name.ts';
import { sinkConditions, sinkFilter } from '../../shared/audit/sink-filter.ts';
import type { Kind } from '../../shared/kinds/define-kind.ts';
import type { ResourceType } from '../../shared/kubernetes.ts';

/**
 * What Terraform needs of the kinds to build the sink filter for a cluster: the types by the names audit
 * entries give them, and the exclusions that name no cluster and no identity.
 */
export function auditedTypes(kinds: readonly Kind[]) {
  const place = { project: '', location: '', cluster: '' };
  const nowhere = { ...place, ownIdentity: [], namespaces: undefined };
  const { exclusions } = sinkFilter(sinkConditions(kinds, nowhere));
  return {
    kinds: Object.fromEntries(
      kinds.map((kind) => [
        kind.kind,
        {
          resource: auditedType(kind),
          children: Object.fromEntries(kind.owns.map((type) => [type.kind, auditedType(type)])),
        },
      ]),
    ),
    verbs: writeVerbs.join('|'),
    exclusions: Object.fromEntries(exclusions.map(({ name, filter }) => [name, filter])),
  };
}

const auditedType = ({ group, version, plural }: Omit<ResourceType, 'kind'>) => ({
  group: methodGroup(group),
  version,
  plural,
});
