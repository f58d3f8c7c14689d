import { expect, it } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import { isKnown, keyOf, refTo } from '../../shared/plan/world.ts';
import { websiteService } from '../support/children.ts';
import { worldOf } from '../support/worlds.ts';

const failure = { reason: 'Forbidden', message: '', transient: false };

it('keys distinguish types of one name, and versions of a type', () => {
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

it('an object is known if it was observed, or its absence or its failed read was', () => {
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
