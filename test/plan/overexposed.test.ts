import { describe, expect, it } from 'vitest';
import type { Child } from '../../shared/kinds/child.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { authUrlAnnotation } from '../../shared/kinds/child-types/ingress.ts';
import { ingress } from '../../shared/kinds/child-types/networking.ts';
import type { KubeObject } from '../../shared/kubernetes.ts';
import type { Difference } from '../../shared/plan/drift/drift.ts';
import { isOverexposed } from '../../shared/plan/drift/overexposed.ts';
import { containerAppIngress } from '../support/children-of-container-app.ts';
import { observeChild } from '../support/observe.ts';
import { pattern } from '../support/router.ts';

const rules = (...paths: readonly string[]) => [
  { http: { paths: paths.map((path) => ({ path: pattern(path) })) } },
];
const body = { spec: { rules: rules('/a', '/b') } };
const open: Child = { type: ingress, name: 'shop', body };
const guarded: Child = { ...open, annotations: { [authUrlAnnotation]: 'https://auth' } };
const live = (...paths: readonly string[]) =>
  observeChild(containerAppIngress({ spec: { rules: rules(...paths) } } as Partial<KubeObject>));
const different = (path: string, over: Partial<Difference> = {}): Difference => ({
  path,
  from: 'x',
  to: 'y',
  writer: undefined,
  ...over,
});
const fewer = live('/a');
const more = live('/a', '/b', '/c');

describe('G-3 a live child may admit requests that the wanted one would refuse', () => {
  it.each<[string, Child, ReturnType<typeof live> | undefined, readonly Difference[], boolean]>([
    ['not in a type that exposes nothing', { ...guarded, type: deployment }, undefined, [], false],
    ['without a protected one: a shallower path may answer', guarded, undefined, [], true],
    ['not without a public one', open, undefined, [], false],
    ['not where nothing differs', guarded, more, [], false],
    ['with other annotations', open, fewer, [different('metadata.annotations.x')], true],
    ['not with other labels', guarded, more, [different('metadata.labels.x')], false],
    ['nor owners', guarded, more, [different('metadata.ownerReferences[uid="x"]')], false],
    ['with labels of another field', guarded, fewer, [different('spec.metadata.labels')], true],
    ['with other paths than a protected one has', guarded, fewer, [different('spec.rules')], true],
    ['with more paths than a public one has', open, more, [different('spec.rules')], true],
    ['not with fewer of them', open, fewer, [different('spec.rules')], false],
    [
      'not if another manager only took over what is as wanted',
      guarded,
      more,
      [different('spec.rules', { from: 'y' })],
      false,
    ],
    [
      'if managedFields were cleared, as anything may differ',
      guarded,
      more,
      [different('metadata.managedFields', { from: undefined, to: undefined })],
      true,
    ],
    [
      'if one of several differences does',
      guarded,
      more,
      [different('metadata.labels.x'), different('spec.rules')],
      true,
    ],
  ])('%s', (_, child, observed, differences, want) => {
    expect(isOverexposed(child, observed, differences)).toBe(want);
  });
});
