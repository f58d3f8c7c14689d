import { describe, expect, it } from 'vitest';
import type { Child } from '../../shared/kinds/child.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { foo as fooKind } from '../../systems/foo.ts';
import { fooDeployment } from '../support/children.ts';
import { planOf } from '../support/decisions.ts';
import { foo } from '../support/resources.ts';

/** Foo, with changes to its desired Deployment. */
const kindWith = (over: Partial<Child>): Kind => ({
  ...fooKind,
  desired: (resource) =>
    (fooKind.desired(resource) as readonly Child[]).map((one) => ({ ...one, ...over })),
});
const decidedWith = (over: Partial<Child>, live = [fooDeployment()]) => {
  const planned = planOf(kindWith(over), foo(), { live });
  return planned.state === 'planned' ? planned.decisions[0] : undefined;
};
const why = { reason: 'Held', message: 'it is held' };

describe('decide', () => {
  it.each([
    ['blocked', why, 'block'],
    ['permanently blocked', { ...why, transient: false }, 'block'],
    ['temporarily blocked', { ...why, transient: true }, 'wait'],
  ])('neither creates nor updates a child that the kind calls %s', (_, blocked, verb) => {
    expect(decidedWith({ blocked })).toMatchObject({ verb, ...why });
  });

  it.each([
    ['adoptable if the kind allows that', 'adopt-if-unowned', 'update'],
    ['foreign by default', undefined, 'block'],
  ] as const)('treats an object without an owner as %s', (_, onCollision, verb) => {
    const live = [fooDeployment({ metadata: { ownerReferences: [] } })];
    const given = onCollision === undefined ? {} : { onCollision };
    expect(decidedWith(given, live)?.verb).toBe(verb);
  });

  it.each([
    ['has no owner', {}, true],
    ['has other labels', { labels: { 'app.kubernetes.io/instance': 'other' } }, false],
    ['is being deleted', { deletionTimestamp: '2026-11-21T12:00:00Z' }, false],
  ])('C-6 names the command that adopts only an object with our labels: %s', (_, over, isNamed) => {
    const live = [fooDeployment({ metadata: { ownerReferences: [], ...over } })];
    const found = decidedWith({}, live);
    const message = found !== undefined && 'message' in found ? found.message : '';
    expect(message.endsWith(': reconciler adopt Foo foo-sample -n default')).toBe(isNamed);
  });

  it('never takes a child from another owner', () => {
    const other = { apiVersion: 'v1', kind: 'X', name: 'x', uid: 'x', controller: true };
    const live = [fooDeployment({ metadata: { ownerReferences: [other] } } as never)];
    expect(decidedWith({ onCollision: 'adopt-if-unowned' }, live)?.verb).toBe('block');
  });
});
