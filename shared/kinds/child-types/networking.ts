import { isFields, listAt } from '../../json.ts';
import { childType } from '../child-type.ts';
import { type ChangedField, type ChildChange, type Impact, touches } from '../impact.ts';
import type { IngressBody, NetworkPolicyBody } from './api-types.ts';
import { authUrlAnnotation, ingressFacts, withoutMarker } from './ingress.ts';

const api = { group: 'networking.k8s.io', version: 'v1' };

export const ingress = childType<IngressBody>()('Ingress', 'ingresses', {
  ...api,
  facts: ingressFacts,
  impact: impactOfIngress,
  exposure: true,
});

function impactOfIngress({ verb, fields }: ChildChange): readonly Impact[] {
  if (verb !== 'update') return [verb === 'create' ? 'open' : 'close'];
  return fields.flatMap((field): readonly Impact[] => {
    const { path, from, to } = field;
    if (path === 'spec.rules') return impactOfRules(field);
    if (path === `metadata.annotations.${authUrlAnnotation}`)
      return impactOf({ opens: from !== undefined, closes: to !== undefined });
    const isRouting = touches([field], 'spec') || /^metadata[.]annotations[.]nginx[.]/.test(path);
    return isRouting ? ['reroute'] : [];
  });
}

const impactOf = ({ opens, closes }: Record<'opens' | 'closes', boolean>): readonly Impact[] => [
  ...(opens ? ['open' as const] : []),
  ...(closes ? ['close' as const] : []),
];

/** Returns the impact of changed rules. If hosts and paths are unchanged, another part differs, such as a backend. */
function impactOfRules({ from, to }: ChangedField): readonly Impact[] {
  const [before, after] = [pathsIn(from), pathsIn(to)];
  const [opens, closes] = [!after.isSubsetOf(before), !before.isSubsetOf(after)];
  return opens || closes ? impactOf({ opens, closes }) : ['reroute'];
}

const pathsIn = (rules: unknown): ReadonlySet<string> =>
  new Set(
    itemsOf(listAt(rules)).flatMap(({ host = '', http }) =>
      itemsOf(listAt(http, 'paths')).map(
        ({ path = '' }) => `${host} ${withoutMarker(String(path))}`,
      ),
    ),
  );

const itemsOf = (list: readonly unknown[]) => list.filter(isFields);

export const networkPolicy = childType<NetworkPolicyBody>()('NetworkPolicy', 'networkpolicies', {
  ...api,
  // Selected pods get only the traffic that policies allow, so a new policy closes access.
  impact: ({ verb, fields }) => {
    if (verb !== 'update') return [verb === 'create' ? 'close' : 'open'];
    return touches(fields, 'spec') ? ['open', 'close'] : [];
  },
});
