import { Type } from 'typebox';
import { type Child, child } from '../../shared/kinds/child.ts';
import {
  configMap,
  limitRange,
  namespace,
  resourceQuota,
} from '../../shared/kinds/child-types/core.ts';
import { networkPolicy } from '../../shared/kinds/child-types/networking.ts';
import { clusterRole, roleBinding } from '../../shared/kinds/child-types/small-groups.ts';
import { defineKind } from '../../shared/kinds/define-kind.ts';
import { nameAtMost } from '../../shared/kinds/schema/rules.ts';

const Name = Type.String({ pattern: '^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$' });
const Names = Type.Array(Name, { maxItems: 16, default: [], 'x-kubernetes-list-type': 'set' });

/** A cluster-scoped kind with children in its own Namespaces, and a ConfigMap in Namespaces of others. */
export const team = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Team',
  plural: 'teams',
  scope: 'Cluster',
  spec: Type.Object({
    namespaces: Names,
    guestIn: Names,
    pods: Type.Integer({ minimum: 0, default: 10 }),
  }),
  rules: [nameAtMost(50)],
  samples: [{ name: 'team-sample', spec: { namespaces: ['team-sample'], guestIn: ['default'] } }],
  owns: [namespace, resourceQuota, limitRange, networkPolicy, clusterRole, roleBinding, configMap],
  children({ name, spec: { namespaces, guestIn, pods } }) {
    const own = namespaces.flatMap((place) => [
      child(namespace, { name: place, labels: { team: name }, body: {} }),
      ...furnitureOf(name, place, pods),
    ]);
    return [
      child(clusterRole, { name: `team-${name}`, body: { rules: [] } }),
      ...own,
      ...[...namespaces, ...guestIn].map((place) => card(name, place)),
    ];
  },
});

const card = (name: string, place: string): Child =>
  child(configMap, { name: `team-${name}`, namespace: place, body: { data: { team: name } } });

function furnitureOf(name: string, place: string, pods: number): readonly Child[] {
  const here = { name: `team-${name}`, namespace: place };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: here.name };
  return [
    child(resourceQuota, { ...here, body: { spec: { hard: { pods: String(pods) } } } }),
    child(limitRange, {
      ...here,
      body: { spec: { limits: [{ type: 'Container', default: { cpu: '500m' } }] } },
    }),
    child(networkPolicy, {
      ...here,
      body: { spec: { podSelector: {}, policyTypes: ['Ingress'] } },
    }),
    child(roleBinding, {
      ...here,
      needs: [{ type: clusterRole, name: here.name }],
      body: {
        roleRef,
        subjects: [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name }],
      },
    }),
  ];
}
