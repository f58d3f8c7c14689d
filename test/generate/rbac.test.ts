import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { rbacFor, rulesFor, rulesForDefinitions } from '../../infra/generate/rbac.ts';
import type { ChildType } from '../../shared/kinds/child-type.ts';
import { namespace, persistentVolumeClaim, service } from '../../shared/kinds/child-types/core.ts';
import { ingress } from '../../shared/kinds/child-types/networking.ts';
import { defineKind } from '../../shared/kinds/define-kind.ts';
import { groupResource, type ResourceType } from '../../shared/kubernetes.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { kinds } from '../support/config.ts';
import { team } from '../support/team.ts';

/** Maps each `resource.group`, with its subresource, to its verbs from all rules. */
function grants(of: Parameters<typeof rulesFor>[0]): Record<string, readonly string[]> {
  const found: Record<string, readonly string[]> = {};
  for (const { apiGroups, resources, verbs } of rulesFor(of)) {
    for (const group of apiGroups) {
      for (const plural of resources) {
        const name = groupResource({ group, plural });
        found[name] = [...(found[name] ?? []), ...verbs].toSorted();
      }
    }
  }
  return found;
}

/** RBAC verbs of the requests of `Cluster`; an apply that creates needs `create` and `patch`. */
const requests = {
  resource: ['get', 'list'],
  status: ['patch'],
  /** Needed to set blockOwnerDeletion. */
  finalizers: ['update'],
  read: ['get'],
  child: ['create', 'delete', 'get', 'list', 'patch'],
  /** Needed to post Events and to list our own. */
  event: ['create'],
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
  it('grants exactly the requests of runs', () => {
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

  it('grants reads by name once, and not again for owned types', () => {
    const reader = (plural: string, type: ChildType) =>
      defineKind({ ...bare, plural, reads: { it: { type } } });
    const given = [reader('as', persistentVolumeClaim), reader('bs', persistentVolumeClaim)];
    expect(grants(given).persistentvolumeclaims).toEqual(['get']);
    expect(grants([website, reader('cs', service)]).services).toEqual(requests.child);
  });

  it('grants lists of referenced types, and not again for owned types and kinds', () => {
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

  it('grants former types only the verbs for pruning, unless another kind writes them', () => {
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
    const sibling = defineKind({ ...bare, group: foo.group, kind: 'Bar', plural: 'bars' });
    const rules = rulesFor([foo, sibling, website]);
    const reads = rules.filter(({ resources }) => resources.includes('foos'));
    expect(reads).toEqual([
      { apiGroups: ['example.com'], resources: ['foos', 'bars'], verbs: ['get', 'list'] },
    ]);
  });

  it('never grants the deletion of a Namespace', () => {
    const { namespaces, configmaps } = grants([team]);
    expect(namespaces).toEqual(requests.child.filter((verb) => verb !== 'delete'));
    expect(configmaps).toEqual(requests.child);
    const former = defineKind({
      ...bare,
      plural: 'bares',
      scope: 'Cluster',
      formerly: [namespace],
    });
    expect(grants([former]).namespaces).toEqual(['get', 'list']);
  });

  it('has no wildcard', () => {
    expect(JSON.stringify(rulesFor(kinds))).not.toContain('*');
  });
});

const me = { name: 'serverless-reconciler', user: 'me' };

describe('permissions on CRDs', () => {
  it('allow reading the CRDs of the kinds by name', () => {
    expect(rulesForDefinitions([foo, website])).toEqual([
      {
        apiGroups: ['apiextensions.k8s.io'],
        resources: ['customresourcedefinitions'],
        resourceNames: ['foos.example.com', 'websites.kubecon.my.domain'],
        verbs: ['get'],
      },
    ]);
  });

  it('are empty without kinds, because a rule without names would cover all CRDs', () => {
    expect(rulesForDefinitions([])).toEqual([]);
  });
});

describe('permissions in namespaces', () => {
  it('are the same rules in a Role and a RoleBinding for each namespace', () => {
    const [, clusterRoleBinding] = rbacFor([foo], { ...me, namespaces: undefined });
    const [definitions, , role, binding, ...others] = rbacFor([foo], {
      ...me,
      namespaces: ['a', 'b'],
    });
    expect(definitions?.rules).toEqual(rulesForDefinitions([foo]));
    expect(role).toEqual({
      ...definitions,
      kind: 'Role',
      metadata: { name: 'serverless-reconciler', namespace: 'a' },
      rules: rulesFor([foo]),
    });
    expect(binding).toEqual({
      ...clusterRoleBinding,
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

  it('are replaced by one role for the whole cluster without namespaces', () => {
    const apiVersion = 'rbac.authorization.k8s.io/v1';
    const apiGroup = 'rbac.authorization.k8s.io';
    expect(rbacFor([foo], { ...me, name: 'team-a', namespaces: undefined })).toEqual([
      {
        apiVersion,
        kind: 'ClusterRole',
        metadata: { name: 'team-a' },
        rules: [...rulesFor([foo]), ...rulesForDefinitions([foo])],
      },
      {
        apiVersion,
        kind: 'ClusterRoleBinding',
        metadata: { name: 'team-a' },
        roleRef: { apiGroup, kind: 'ClusterRole', name: 'team-a' },
        subjects: [{ apiGroup, kind: 'User', name: 'me' }],
      },
    ]);
  });
});
