import { Type } from 'typebox';
import { describe, expect, it } from 'vitest';
import { checkKind } from '../../infra/check/check-kind.ts';
import { type Child, child } from '../../shared/kinds/child.ts';
import { configMap, namespace } from '../../shared/kinds/child-types/core.ts';
import { ingress } from '../../shared/kinds/child-types/networking.ts';
import { clusterRole } from '../../shared/kinds/child-types/small-groups.ts';
import { defineChildType } from '../../shared/kinds/define-child-type.ts';
import { defineKind } from '../../shared/kinds/define-kind.ts';
import type { KindDefinition } from '../../shared/kinds/kind.ts';
import { readStatus } from '../../shared/plan/observed/recorded-status.ts';
import { casesOf } from '../support/cases.ts';
import { team } from '../support/team.ts';

const spec = Type.Object({});
type Given = Partial<KindDefinition<typeof spec>>;

const define = (given: Given) =>
  defineKind({
    group: 'example.org',
    version: 'v1',
    kind: 'Team',
    plural: 'teams',
    spec,
    samples: [{ name: 'red', spec: {} }],
    owns: [configMap],
    children: () => [],
    ...given,
  });

const wideType = defineChildType({
  group: 'cert-manager.io',
  version: 'v1',
  kind: 'ClusterIssuer',
  plural: 'clusterissuers',
  scope: 'Cluster',
});

const definitions: Record<string, { reason: string; given: Given; want: string }> = {
  NamespacedOwner: {
    reason: 'a namespaced kind with a cluster-scoped child, which owner references do not allow',
    given: { owns: [namespace] },
    want: "Team: owns: namespaces is cluster-scoped, and a namespaced owner cannot own it; make the kind cluster-scoped (scope: 'Cluster')",
  },
  OfAnotherController: {
    reason: 'defineChildType made the type, which is in formerly',
    given: { formerly: [wideType] },
    want: 'Team: formerly: clusterissuers.cert-manager.io is cluster-scoped',
  },
  OwnKind: {
    reason: 'a kind is a child type, too',
    given: { owns: [team] },
    want: 'Team: owns: teams.example.org is cluster-scoped',
  },
  Exposing: {
    reason: 'exposures have an order within one namespace only',
    given: { scope: 'Cluster', owns: [ingress] },
    want: 'Team: owns: a cluster-scoped kind cannot own ingresses.networking.k8s.io, because paths can be exposed in a safe order only within one namespace; let this kind own a namespaced kind that owns ingresses.networking.k8s.io',
  },
};

describe('a definition', () => {
  it.each(casesOf(definitions))('refuses %s', (_, { given, want }) => {
    expect(() => define(given)).toThrow(want);
  });
});

const card = (more: object): Child => child(configMap, { name: 'card', body: {}, ...more });
const role = (more: object): Child => child(clusterRole, { name: 'role', body: {}, ...more });

const places: Record<string, { reason: string; scope?: 'Cluster'; desired: Child; want: string }> =
  {
    Missing: {
      reason: 'a namespaced child of a cluster-scoped resource without a namespace is refused',
      scope: 'Cluster',
      desired: card({}),
      want: 'Team: children[0], ConfigMap card: it has no namespace; set namespace next to name',
    },
    OfClusterScopedChild: {
      reason: 'a cluster-scoped child is in no namespace',
      scope: 'Cluster',
      desired: role({ namespace: 'a' }),
      want: 'Team: children[0], ClusterRole a/role: omit its namespace, because ClusterRole is cluster-scoped',
    },
    OfNamespacedKind: {
      reason: 'an owner is in the namespace of its dependents',
      desired: card({ namespace: 'a' }),
      want: 'Team: children[0], ConfigMap a/card: omit its namespace, because the engine puts children of a Team into the namespace of the Team',
    },
  };

describe('the namespace of a child', () => {
  it.each(casesOf(places))('%s', (_, { scope, desired, want }) => {
    const owns = scope === undefined ? [configMap] : [configMap, clusterRole];
    const kind = define({ ...(scope && { scope }), owns, children: () => [desired] });
    const resource = {
      name: 'red',
      namespace: '',
      uid: 'u',
      createdAt: '2026-01-01T00:00:00Z',
      spec: {},
    };
    expect(() => kind.desired(resource)).toThrow(want);
    expect(checkKind(kind)).toEqual([want.replace('Team: ', 'Team: sample red: ')]);
  });

  it('may differ between two children of the same name', () => {
    const children = () => [card({ namespace: 'a' }), card({ namespace: 'b' })];
    expect(checkKind(define({ scope: 'Cluster', children }))).toEqual([]);
  });

  it.each([
    [
      'a duplicate in one namespace',
      [card({ namespace: 'a' }), card({ namespace: 'a' })],
      'the kind returns ConfigMap a/card twice; give one of them another name',
    ],
    [
      'an illegal namespace',
      [card({ namespace: 'A' })],
      'ConfigMap A/card: no namespace can have this name',
    ],
    [
      'another namespace in its needs',
      [card({ namespace: 'a', needs: [{ type: configMap, name: 'card', namespace: 'b' }] })],
      'ConfigMap a/card: needs names ConfigMap b/card, which is not a child of the resource',
    ],
  ])('%s is reported', (_, desired, want) => {
    const kind = define({ scope: 'Cluster', children: () => desired });
    expect(checkKind(kind)[0]).toBe(`Team: sample red: ${want}`);
  });

  it('keeps a Namespace from acting on anything: it would be deleted', () => {
    const kind = define({
      scope: 'Cluster',
      owns: [namespace, clusterRole],
      children: () => [
        role({}),
        child(namespace, { name: 'a', body: {}, actsOn: { type: clusterRole, name: 'role' } }),
      ],
    });
    expect(checkKind(kind)).toEqual([
      'Team: sample red: Namespace a: a Namespace must not have `actsOn`, because a run would delete it once ClusterRole role has another owner; use `needs`',
    ]);
  });
});

describe('a child whose type another child installs', () => {
  const definition = defineChildType({
    group: 'apiextensions.k8s.io',
    version: 'v1',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    scope: 'Cluster',
  });
  const installed = child(definition, { name: 'clusterissuers.cert-manager.io', body: {} });
  const problem = (name: string) =>
    `Team: sample red: ClusterIssuer ${name}: CustomResourceDefinition clusterissuers.cert-manager.io installs the type of this child; add the definition to \`needs\`, with until: 'ready'`;
  const issuer = (name: string, needs: Child['needs'] = []) =>
    child(wideType, { name, needs, body: {} });
  const ready = issuer('a', [{ ...installed, until: 'ready' }]);
  it.each([
    ['without a need', [installed, issuer('a')], [problem('a')]],
    ['that does not wait until it is ready', [issuer('a', [installed]), installed], [problem('a')]],
    ['that waits for it', [installed, ready], []],
    ['that waits for a child that waits for it', [installed, ready, issuer('b', [ready])], []],
    ['that nobody installs here', [issuer('a')], []],
  ])('%s', (_, desired, want) => {
    const owns = [definition, wideType];
    const kind = define({ scope: 'Cluster', owns, children: () => desired });
    expect(checkKind(kind)).toEqual(want);
  });
});

describe('status.children', () => {
  const own = { apiVersion: 'v1', kind: 'ConfigMap', name: 'card' };
  const wide = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', name: 'role' };
  it.each([
    ['a child in a namespace', [{ ...own, namespace: 'a' }], true],
    [
      'the same name in two namespaces',
      [
        { ...own, namespace: 'a' },
        { ...own, namespace: 'b' },
      ],
      true,
    ],
    ['a cluster-scoped child', [wide], true],
    ['a namespaced child without its namespace', [own], false],
    ['a cluster-scoped child with a namespace', [{ ...wide, namespace: 'a' }], false],
    ['a namespace that would change the path', [{ ...own, namespace: '..' }], false],
    ['a namespace that is not a string', [{ ...own, namespace: 5 }], false],
    [
      'the same child twice',
      [
        { ...own, namespace: 'a' },
        { ...own, namespace: 'a' },
      ],
      false,
    ],
  ])('%s', (_, children, isKept) => {
    const { status, hasStrays } = readStatus({ children }, team, { holdsRecords: true });
    expect(hasStrays).toBe(!isKept);
    if (isKept) expect(status.children).toEqual(children);
  });

  it('have no namespaces for a namespaced kind', () => {
    const children = [{ ...own, namespace: 'a' }];
    expect(readStatus({ children }, define({}), { holdsRecords: true })).toEqual({
      status: { children: [] },
      applied: {},
      hasStrays: true,
    });
  });
});
