import { endingType, writeVerbs } from '../../../shared/audit/filter.ts';
import type { Kind } from '../../../shared/kinds/kind.ts';
import { isCustom, isSameType } from '../../../shared/kubernetes.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * Generates the audit policy of a kube-apiserver whose webhook posts to the audit function. The policy logs writes to
 * resources, children and referenced objects: after the response, and without bodies (level Metadata).
 */
export function auditPolicy(kinds: readonly Kind[]): Fields {
  const referred = kinds.flatMap(({ refersTo }) => refersTo);
  const types: readonly Audited[] = [
    ...[...kinds, ...kinds.flatMap(({ owns }) => owns)].map(({ group, plural, scale }) => ({
      group,
      plural,
      subresources: [
        ...(scale ? ['scale'] : []),
        ...(isSameType({ group, plural }, endingType) ? ['status'] : []),
      ],
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
  /**
   * The subresources whose writes are logged: `scale`, which changes the object itself; `status` of Jobs, which shows
   * their end; and `status` of referenced custom objects.
   */
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

/** For several clusters, `server` ends with `?cluster=NAME`. */
export const auditWebhook = (server: string): Fields => ({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'audit',
  clusters: [{ name: 'audit', cluster: { server } }],
  users: [{ name: 'audit', user: {} }],
  contexts: [{ name: 'audit', context: { cluster: 'audit', user: 'audit' } }],
});
