import { describe, expect, it } from 'vitest';
import type { Child } from '../../shared/kinds/child.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { authUrlAnnotation } from '../../shared/kinds/child-types/ingress.ts';
import { ingress } from '../../shared/kinds/child-types/networking.ts';
import type { KubeObject } from '../../shared/kubernetes.ts';
import { isOverexposed } from '../../shared/plan/decision/decide.ts';
import type { Difference } from '../../shared/plan/drift/differences.ts';
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

describe('G-3 a live child may admit requests that the desired one would refuse', () => {
  it.each<[string, Child, ReturnType<typeof live> | undefined, readonly Difference[], boolean]>([
    ['no, if its type exposes nothing', { ...guarded, type: deployment }, undefined, [], false],
    [
      'yes, if a protected one is missing, because a shallower path may serve',
      guarded,
      undefined,
      [],
      true,
    ],
    ['no, if a public one is missing', open, undefined, [], false],
    ['no, if nothing differs', guarded, more, [], false],
    ['yes, if annotations differ', open, fewer, [different('metadata.annotations.x')], true],
    ['no, if labels differ', guarded, more, [different('metadata.labels.x')], false],
    [
      'no, if owner references differ',
      guarded,
      more,
      [different('metadata.ownerReferences[uid="x"]')],
      false,
    ],
    [
      'yes, if labels in another field differ',
      guarded,
      fewer,
      [different('spec.metadata.labels')],
      true,
    ],
    [
      'yes, if the paths of a protected one differ',
      guarded,
      fewer,
      [different('spec.rules')],
      true,
    ],
    ['yes, if a public one has more paths', open, more, [different('spec.rules')], true],
    ['no, if a public one has fewer paths', open, fewer, [different('spec.rules')], false],
    [
      'no, if another manager only took over desired values',
      guarded,
      more,
      [different('spec.rules', { from: 'y' })],
      false,
    ],
    [
      'yes, if managedFields were cleared, because any field may differ',
      guarded,
      more,
      [different('metadata.managedFields', { from: undefined, to: undefined })],
      true,
    ],
    [
      'yes, if one of several differences may admit requests',
      guarded,
      more,
      [different('metadata.labels.x'), different('spec.rules')],
      true,
    ],
  ])('%s', (_, child, observed, differences, want) => {
    expect(isOverexposed(child, observed, differences)).toBe(want);
  });
});
