import { isFields } from '../../json.ts';
import type { ChildType } from '../child-type.ts';
import { type ChangedField, type ChildChange, type Impact, touches } from '../impact.ts';
import type { IngressBody, NetworkPolicyBody } from './api-types.ts';
import { authUrlAnnotation, ingressExposure, ingressFacts } from './ingress.ts';

const version = { group: 'networking.k8s.io', version: 'v1' };

export const ingress: ChildType<IngressBody, object, ReturnType<typeof ingressFacts>> = {
  ...version,
  kind: 'Ingress',
  plural: 'ingresses',
  facts: ingressFacts,
  impact: impactOfIngress,
  exposure: ingressExposure,
};

function impactOfIngress({ verb, fields }: ChildChange): readonly Impact[] {
  if (verb !== 'update') return [verb === 'create' ? 'open' : 'close'];
  return fields.flatMap((field): readonly Impact[] => {
    const { path, from, to } = field;
    if (path === 'spec.rules') return impactOfRules(field);
    if (path === `metadata.annotations.${authUrlAnnotation}`)
      return [
        ...(from === undefined ? [] : ['open' as const]),
        ...(to === undefined ? [] : ['close' as const]),
      ];
    const isRouting = touches([field], 'spec') || /^metadata[.]annotations[.]nginx[.]/.test(path);
    return isRouting ? ['reroute'] : [];
  });
}

/**
 * Compares hosts and paths without their markers. If both are equal, requests are rerouted, because another part of
 * the rules has changed, such as a backend.
 */
function impactOfRules({ from, to }: ChangedField): readonly Impact[] {
  const [before, after] = [pathsIn(from), pathsIn(to)];
  const opens = [...after].some((one) => !before.has(one));
  const closes = [...before].some((one) => !after.has(one));
  if (!opens && !closes) return ['reroute'];
  return [...(opens ? ['open' as const] : []), ...(closes ? ['close' as const] : [])];
}

const pathsIn = (rules: unknown): ReadonlySet<string> =>
  new Set(
    listOf(rules).flatMap(({ host = '', http }) =>
      listOf(isFields(http) ? http.paths : undefined).map(
        ({ path = '' }) => `${host} ${ingressExposure.pathOf(String(path))}`,
      ),
    ),
  );

const listOf = (value: unknown) => (Array.isArray(value) ? value.filter(isFields) : []);

/** Judges a new policy as `close`: the pods that it selects now refuse whatever no policy allows. */
function impactOfNetworkPolicy({ verb, fields }: ChildChange): readonly Impact[] {
  if (verb !== 'update') return [verb === 'create' ? 'close' : 'open'];
  return touches(fields, 'spec') ? ['open', 'close'] : [];
}

export const networkPolicy: ChildType<NetworkPolicyBody> = {
  ...version,
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
  impact: impactOfNetworkPolicy,
};
