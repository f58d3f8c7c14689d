import { describe, expect, it } from 'vitest';
import { clusterRole } from '../../infra/generate/rbac.ts';
import { kinds } from '../../shared/kinds/all.ts';
import { defineKind } from '../../shared/kinds/define-kind.ts';
import { foo } from '../../shared/kinds/foo.ts';
import { website } from '../../shared/kinds/website.ts';
import { groupResource } from '../../shared/kubernetes.ts';

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** `resource.group` (with subresource) → verbs; a resource named twice has both. */
function grants(of: Parameters<typeof clusterRole>[0]): Record<string, readonly string[]> {
  const found: Record<string, readonly string[]> = {};
  for (const { apiGroups, resources, verbs } of clusterRole(of).rules as readonly Rule[]) {
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
  child: ['create', 'delete', 'get', 'list', 'patch'],
  /** Posts Events, and looks for its own. */
  event: ['create', 'list'],
};

describe('the cluster role', () => {
  it('grants exactly the requests that are made', () => {
    expect(grants(kinds)).toEqual({
      'websites.kubecon.my.domain': requests.resource,
      'websites/status.kubecon.my.domain': requests.status,
      'websites/finalizers.kubecon.my.domain': requests.finalizers,
      'foos.example.com': requests.resource,
      'foos/status.example.com': requests.status,
      'foos/finalizers.example.com': requests.finalizers,
      'deployments.apps': requests.child,
      services: requests.child,
      events: requests.event,
    });
  });

  it('grants nothing for children that no kind has', () => {
    expect(Object.keys(grants([foo]))).not.toContain('services');
  });

  it('names each group of kinds by itself: no kind of another group slips in', () => {
    const sibling = defineKind({
      ...foo,
      kind: 'Bar',
      plural: 'bars',
      spec: foo.schema.spec,
      status: {},
      children: () => [],
    });
    const rules = clusterRole([foo, sibling, website]).rules as readonly Rule[];
    const reads = rules.filter(({ resources }) => resources.includes('foos'));
    expect(reads).toEqual([
      { apiGroups: ['example.com'], resources: ['foos', 'bars'], verbs: ['get', 'list'] },
    ]);
  });

  it('has no wildcard', () => {
    expect(JSON.stringify(clusterRole(kinds))).not.toContain('*');
  });
});
