import { writeVerbs } from '../../../shared/audit/filter.ts';
import type { Kind } from '../../../shared/kinds/kind.ts';
import { isCustom } from '../../../shared/kubernetes.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * The audit policy of a kube-apiserver whose webhook posts to the audit function: writes of the kinds, of
 * what they own and of what their resources refer to, at level Metadata (no bodies), once each is answered.
 */
export function auditPolicy(kinds: readonly Kind[]): Fields {
  const referred = kinds.flatMap(({ refersTo }) => refersTo);
  const types: readonly Audited[] = [
    ...[...kinds, ...kinds.flatMap(({ owns }) => owns)].map(({ group, plural, scale }) => ({
      group,
      plural,
      subresources: scale ? ['scale'] : [],
    })),
    ...referred.map(({ group, plural, ...type }) => ({
      group,
      plural,
      subresources: [...(type.scale ? ['scale'] : []), ...(isCustom({ group }) ? ['status'] : [])],
    })),
  ];
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

interface Audited {
  readonly group: string;
  readonly plural: string;
  /** A scale is a write of its object; a status matters to those that read it. */
  readonly subresources: readonly string[];
}

const namesIn = (types: readonly Audited[], group: string): readonly string[] =>
  [
    ...new Set(
      types
        .filter((type) => type.group === group)
        .flatMap(({ plural, subresources }) => [
          plural,
          ...subresources.map((name) => `${plural}/${name}`),
        ]),
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
