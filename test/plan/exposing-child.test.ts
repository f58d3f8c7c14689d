import { expect, it } from 'vitest';
import { deployment, statefulSet } from '../../shared/kinds/child-types/apps.ts';
import { ingress } from '../../shared/kinds/child-types/networking.ts';
import { type KubeObject, keyOf } from '../../shared/kubernetes.ts';
import { fieldsToApply, type Update } from '../../shared/plan/decision/decision.ts';
import {
  isExposing,
  livePaths,
  patternsOf,
  repair,
} from '../../shared/plan/exposure/exposing-child.ts';
import { withoutContent } from '../../shared/plan/observed/observed.ts';
import type { World } from '../../shared/plan/observed/world.ts';
import { containerAppIngress } from '../support/children-of-container-app.ts';
import { observeChild } from '../support/observe.ts';
import { unexplored } from '../support/unexplored.ts';

const withPaths = (...paths: readonly string[]): KubeObject =>
  containerAppIngress({
    spec: { rules: [{ http: { paths: paths.map((path) => ({ path })) } }] },
  } as Partial<KubeObject>);
const withMarker = '(?!~~01234567|.*\\x3b)/shop/a';
const live = observeChild(withPaths(withMarker, '/shop/b'));
const world = unexplored as Partial<World> as World;

it('only Ingresses expose anything', () => {
  const found = [ingress, deployment, statefulSet, undefined].filter(isExposing);
  expect(found).toEqual([ingress]);
});

it('an Ingress is compared by its live paths, without the numbers that decide between equal paths', () => {
  expect(patternsOf(live)).toEqual([withMarker, '/shop/b']);
  const found = livePaths(world, live);
  expect(found.paths).toEqual(['/shop/a', '/shop/b']);
  expect(found.precedenceOf('/shop/a')).toBe('(?!~~01234567|.*\\x3b)');
  expect(found.precedenceOf('/shop/b')).toBe('');
});

it('an Ingress whose paths are unknown may serve any request', () => {
  expect(livePaths(world, withoutContent(live, 'too deep')).paths).toEqual(['*']);
});

it('an Ingress that others write during the run counts with every path that was read', () => {
  const possiblePaths = new Map([[keyOf(live), new Set(['/shop/b', '/shop/c'])]]);
  expect(livePaths({ ...world, possiblePaths }, live).paths).toEqual(['/shop/b', '/shop/c']);
});

it('a repair of an Ingress with kept fields applies its live paths', () => {
  const fieldsWith = (...paths: readonly string[]) =>
    ({ spec: { rules: [{ http: { paths: paths.map((path) => ({ path })) } }] } }) as const;
  const decision = {
    type: ingress,
    child: live,
    namespace: 'default',
    verb: 'update',
    lock: live,
    fields: fieldsWith('/new'),
    kept: {
      fields: { ...fieldsWith('/new'), metadata: { annotations: { a: 'b' } } },
      whole: {},
      long: [],
    },
    differences: undefined,
  } satisfies Update;
  const [repaired] = repair(decision, live);
  const applied = JSON.stringify(repaired && fieldsToApply(repaired));
  expect(applied).toContain('/shop/b');
  expect(applied).toContain('annotations');
  expect(applied).not.toContain('/new');
});
