import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import {
  clusterRole,
  clusterRoleBinding,
  type PolicyRule,
  rbacFor,
} from '../../infra/generate/rbac.ts';
import type { ChildType } from '../../shared/kinds/child-type.ts';
import { persistentVolumeClaim, service } from '../../shared/kinds/child-types/core.ts';
import { ingress } from '../../shared/kinds/child-types/networking.ts';
import { defineKind } from '../../shared/kinds/define-kind.ts';
import { groupResource, type ResourceType } from '../../shared/kubernetes.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { kinds } from '../support/config.ts';

/** `resource.group` (with subresource) → verbs; a resource named twice has both. */
function grants(of: Parameters<typeof clusterRole>[0]): Record<string, readonly string[]> {
  const found: Record<string, readonly string[]> = {};
  for (const { apiGroups, resources, verbs } of clusterRole(of).rules as readonly PolicyRule[]) {
    for (const group of apiGroups) {
      for (const plural of resources) {
        const name = groupResource({ group, plural });
        found[name] = [...(found[name] ?? []), ...verbs].toSorted();
      }
    }
  }
  return found;
}

/** The requests of the port `Cluster`, as verbs of RBAC; an apply that creates needs both. */
const requests = {
  resource: ['get', 'list'],
  status: ['patch'],
  /** Sets blockOwnerDeletion. */
  finalizers: ['update'],
  read: ['get'],
  child: ['create', 'delete', 'get', 'list', 'patch'],
  /** Posts Events, and looks for its own. */
  event: ['create', 'list'],
};

const grantsOfKind = ({ group, plural }: ResourceType) => [
  [groupResource({ group, plural }), requests.resource] as const,
  [groupResource({ group, plural: `${plural}/status` }), requests.status] as const,
  [groupResource({ group, plural: `${plural}/finalizers` }), requests.finalizers] as const,
];

const bare = {
  group: 'example.com',
  version: 'v1',
  kind: 'Bare',
  spec: Type.Object({}),
  samples: [],
  owns: [],
  children: () => [],
};

describe('the cluster role', () => {
  it('grants exactly the requests that are made', () => {
    expect(grants(kinds)).toEqual({
      ...Object.fromEntries(kinds.flatMap(grantsOfKind)),
      secrets: requests.child,
      'deployments.apps': requests.child,
      'statefulsets.apps': requests.child,
      services: requests.child,
      'horizontalpodautoscalers.autoscaling': requests.child,
      'ingresses.networking.k8s.io': requests.child,
      persistentvolumeclaims: requests.read,
      events: requests.event,
    });
  });

  it('grants types read by name once, and not again if owned', () => {
    const reader = (plural: string, type: ChildType) =>
      defineKind({ ...bare, plural, reads: { it: { type } } });
    const given = [reader('as', persistentVolumeClaim), reader('bs', persistentVolumeClaim)];
    expect(grants(given).persistentvolumeclaims).toEqual(['get']);
    expect(grants([website, reader('cs', service)]).services).toEqual(requests.child);
  });

  it('grants types that resources refer to for lists, too, and not again if owned or a kind', () => {
    const reader = (type: ChildType) =>
      defineKind({ ...bare, plural: 'as', reads: { it: { type, name: ({ name }) => name } } });
    expect(grants([reader(persistentVolumeClaim)]).persistentvolumeclaims).toEqual(['get', 'list']);
    expect(grants([website, reader(service)]).services).toEqual(requests.child);
    expect(grants([website, reader(website)])['websites.kubecon.my.domain']).toEqual(
      grants([website])['websites.kubecon.my.domain'],
    );
  });

  it('grants nothing for children that no kind has', () => {
    expect(Object.keys(grants([foo]))).not.toContain('services');
  });

  it('grants former types what pruning takes, unless another kind writes them', () => {
    const former = (...formerly: readonly ChildType[]) =>
      defineKind({ ...bare, plural: 'as', formerly });
    const pruned = ['delete', 'get', 'list'];
    expect(grants([former(service, persistentVolumeClaim)])).toMatchObject({
      services: pruned,
      persistentvolumeclaims: pruned,
    });
    expect(grants([former(ingress)])['ingresses.networking.k8s.io']).toEqual([...pruned, 'patch']);
    expect(grants([former(service), website]).services).toEqual(requests.child);
  });

  it('has a rule for each group, so that no kind of another group is included', () => {
    const sibling = defineKind({
      ...foo,
      kind: 'Bar',
      columns: [],
      plural: 'bars',
      spec: foo.schema.spec,
      status: {},
      children: () => [],
    });
    const rules = clusterRole([foo, sibling, website]).rules as readonly PolicyRule[];
    const reads = rules.filter(({ resources }) => resources.includes('foos'));
    expect(reads).toEqual([
      { apiGroups: ['example.com'], resources: ['foos', 'bars'], verbs: ['get', 'list'] },
    ]);
  });

  it('has no wildcard', () => {
    expect(JSON.stringify(clusterRole(kinds))).not.toContain('*');
  });
});

describe('rights in namespaces', () => {
  it('are the same rules, in a Role and a RoleBinding for each', () => {
    const [role, binding, ...others] = rbacFor([foo], { user: 'me', namespaces: ['a', 'b'] });
    expect(role).toEqual({
      ...clusterRole([foo]),
      kind: 'Role',
      metadata: { name: 'serverless-reconciler', namespace: 'a' },
    });
    expect(binding).toEqual({
      ...clusterRoleBinding('me'),
      kind: 'RoleBinding',
      metadata: { name: 'serverless-reconciler', namespace: 'a' },
      roleRef: {
        apiGroup: 'rbac.authorization.k8s.io',
        kind: 'Role',
        name: 'serverless-reconciler',
      },
    });
    expect(others.map(({ metadata }) => metadata)).toEqual([
      { name: 'serverless-reconciler', namespace: 'b' },
      { name: 'serverless-reconciler', namespace: 'b' },
    ]);
  });

  it('come with none for the whole cluster', () => {
    expect(rbacFor([foo], { user: 'me', namespaces: undefined })).toEqual([
      clusterRole([foo]),
      clusterRoleBinding('me'),
    ]);
  });
});
