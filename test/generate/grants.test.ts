import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { rulesForGrants } from '../../infra/generate/grants.ts';
import { rbacFor } from '../../infra/generate/rbac.ts';
import { child } from '../../shared/kinds/child.ts';
import { clusterRole } from '../../shared/kinds/child-types/small-groups.ts';
import { defineKind } from '../../shared/kinds/define-kind.ts';
import { kinds } from '../support/config.ts';
import { team } from '../support/team.ts';
import { tenant } from '../support/tenant.ts';

const bind = (name: string) => ({
  apiGroups: ['rbac.authorization.k8s.io'],
  resources: ['clusterroles'],
  resourceNames: [name],
  verbs: ['bind'],
});

describe('permissions to grant', () => {
  it("are bind for each referenced role by name, and the rules of the kind's own Roles", () => {
    expect(rulesForGrants([tenant])).toEqual([
      { apiGroups: ['batch'], resources: ['jobs'], verbs: ['list'] },
      // The name follows from the resource's, so the rule holds for all names.
      { apiGroups: [''], resources: ['secrets'], verbs: ['get'] },
      { apiGroups: [''], resources: ['configmaps'], resourceNames: ['shared'], verbs: ['get'] },
      bind('admin'),
      bind('view'),
    ]);
  });

  it('never include escalate, or bind without a name', () => {
    const rules = rulesForGrants([tenant, team]);
    expect(rules.filter(({ verbs }) => verbs.includes('escalate'))).toEqual([]);
    expect(rules.filter((one) => one.verbs.includes('bind') && !one.resourceNames)).toEqual([]);
  });

  it('are in each Role with NAMESPACES', () => {
    const [, , inTeam] = rbacFor([tenant], { name: 'r', user: 'u', namespaces: ['team-a'] });
    expect(inTeam).toMatchObject({ kind: 'Role', rules: expect.arrayContaining([bind('admin')]) });
  });

  it('are empty for kinds that grant nothing, or whose own Role is empty', () => {
    expect(rulesForGrants([...kinds, team])).toEqual([]);
  });

  it('include paths that are no resources', () => {
    const rules = [{ nonResourceURLs: ['/metrics'], verbs: ['get'] }];
    const prober = defineKind({
      group: 'example.org',
      version: 'v1',
      kind: 'Prober',
      plural: 'probers',
      scope: 'Cluster',
      spec: Type.Object({}),
      samples: [{ name: 'one', spec: {} }],
      owns: [clusterRole],
      children: ({ name }) => [child(clusterRole, { name, body: { rules } })],
    });
    expect(rulesForGrants([prober])).toEqual([{ apiGroups: [], resources: [], ...rules[0] }]);
  });
});
