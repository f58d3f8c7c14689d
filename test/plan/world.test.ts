import { describe, expect, it } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import { keyOf } from '../../shared/kubernetes.ts';
import {
  foundBySelector,
  isKnown,
  keyOfReference,
  namespaceOf,
  refOf,
  refTo,
} from '../../shared/plan/observed/world.ts';
import { websiteService } from '../support/children.ts';
import { worldOf } from '../support/worlds.ts';

const failure = { reason: 'Forbidden', message: '', transient: false };

it('keyOf distinguishes types, and versions of a type, of objects with the same name', () => {
  const keys = [
    refTo(deployment, 'a'),
    refTo(service, 'a'),
    { ...refTo(deployment, 'a'), apiVersion: 'apps/v1beta1' },
    refTo(deployment, 'b'),
  ].map(keyOf);
  expect(keys).toEqual([
    'apps/v1/Deployment/a',
    'v1/Service/a',
    'apps/v1beta1/Deployment/a',
    'apps/v1/Deployment/b',
  ]);
});

it('isKnown is true for an object that was observed, is absent, or could not be read', () => {
  const world = {
    ...worldOf(websiteService({ metadata: { name: 'seen' } })),
    absent: new Set([keyOf(refTo(service, 'absent'))]),
    unread: new Map([[keyOf(refTo(service, 'unread')), failure]]),
  };
  const known = ['seen', 'absent', 'unread', 'other'].map((name) =>
    isKnown(world, refTo(service, name)),
  );
  expect(known).toEqual([true, true, true, false]);
  expect(isKnown(world, refTo(deployment, 'seen'))).toBe(false);
});

it('a reference to a child has a namespace only if it differs from that of the resource', () => {
  const own = refTo(deployment, 'a');
  const other = refTo(deployment, 'a', 'b');
  expect(own).toEqual({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' });
  expect(own).not.toHaveProperty('namespace');
  expect(other).toEqual({ ...own, namespace: 'b' });
  expect(keyOf(other)).toBe('apps/v1/Deployment/b/a');
  expect([own, other].map((ref) => namespaceOf({ namespace: 'home' }, ref))).toEqual(['home', 'b']);
});

it('the reference to an observed child contains no other fields', () => {
  const more = { type: deployment, uid: 'u' };
  for (const ref of [refTo(deployment, 'a'), refTo(deployment, 'a', 'b')])
    expect(Object.entries(refOf({ ...ref, ...more }))).toEqual(Object.entries(ref));
});

it('the key of a reference contains its type, namespace, and name or selector', () => {
  const key = keyOfReference({ type: deployment, namespace: 'b', name: 'a' });
  expect(key).toBe('deployments.apps b/a');
});

it('isKnown is false if no object was read by name', () => {
  expect(isKnown(worldOf(), refTo(service, 'a'))).toBe(false);
});

const found = (namespace: string, name: string, digest = 'd') => ({
  namespace,
  name,
  resourceVersion: '7',
  object: { name, digest },
});

describe('the result of a selector', () => {
  it('is sorted, whatever the order of the list', () => {
    const [a, b, c] = [found('a', 'x'), found('a', 'y'), found('b', 'x')];
    const first = foundBySelector({ namespace: '' }, [a, b, c]);
    expect(first).toEqual(foundBySelector({ namespace: '' }, [c, a, b]));
    expect(first).toMatchObject({
      object: { items: [{ namespace: 'a', name: 'x' }, { name: 'y' }, { namespace: 'b' }] },
    });
  });

  it.each([
    ['object', [found('a', 'x'), found('a', 'y')]],
    ['namespace', [found('b', 'x')]],
    ['content', [found('a', 'x', 'other')]],
  ])('has another digest with another %s', (_, objects) => {
    const digestOf = (some: typeof objects) => {
      const response = foundBySelector({ namespace: '' }, some);
      return 'object' in response ? response.object?.digest : undefined;
    };
    expect(digestOf(objects)).not.toBe(digestOf([found('a', 'x')]));
  });
});
