import { writeVerbs } from '../../shared/audit/filter.ts';
import type { Kind } from '../../shared/kinds/define-kind.ts';
import type { ResourceType } from '../../shared/kubernetes.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The audit policy of a kube-apiserver whose webhook posts to the audit function: writes of the kinds
 * and of what they own, at level Metadata (no bodies), once each is answered.
 */
export function auditPolicy(kinds: readonly Kind[]): Fields {
  const types = [...kinds, ...kinds.flatMap(({ owns }) => owns)];
  const groups = [...new Set(types.map(({ group }) => group))];
  return {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived', 'ResponseStarted', 'Panic'],
    rules: [
      {
        level: 'Metadata',
        verbs: writeVerbs,
        resources: groups.map((group) => ({ group, resources: namesIn(types, group) })),
      },
      { level: 'None' },
    ],
  };
}

/** A scale is a write of its object; writes of status are ignored. */
const namesIn = (types: readonly ResourceType[], group: string): readonly string[] =>
  [
    ...new Set(
      types
        .filter((type) => type.group === group)
        .flatMap(({ plural, ...type }) =>
          'scale' in type && type.scale ? [plural, `${plural}/scale`] : [plural],
        ),
    ),
  ].toSorted();

/** Where the webhook posts; `?cluster=NAME` says which of several clusters it is. */
export const auditWebhook = (server: string): Fields => ({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'audit',
  clusters: [{ name: 'audit', cluster: { server } }],
  users: [{ name: 'audit', user: {} }],
  contexts: [{ name: 'audit', context: { cluster: 'audit', user: 'audit' } }],
});
