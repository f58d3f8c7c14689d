import { describe, expect, it } from 'vitest';
import type { Identity } from '../../shared/identity.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { KubeObject } from '../../shared/kubernetes.ts';
import { isOrphan, isOwn } from '../../shared/plan/observed/world.ts';
import { foo as fooKind } from '../../systems/foo.ts';
import { website as websiteKind } from '../../systems/website.ts';
import { casesOf } from '../support/cases.ts';
import { fooDeployment } from '../support/children.ts';
import { owner } from '../support/decisions.ts';
import { identity, observeChild, observeResource } from '../support/observe.ts';
import { foo } from '../support/resources.ts';

const ours = owner(foo());
const ownedBy = (...references: readonly object[]): KubeObject =>
  fooDeployment({ metadata: { ownerReferences: references } } as Partial<KubeObject>);
const unowned = ownedBy();

const owned: Record<string, { reason: string; live: KubeObject; want: boolean }> = {
  'C-6 Ours': {
    reason: 'an object whose controller is this resource is own',
    live: fooDeployment(),
    want: true,
  },
  'C-6 OneOfSeveral': {
    reason: 'an object with further owners is own',
    live: ownedBy({ ...ours, uid: 'other', controller: false }, ours),
    want: true,
  },
  'C-6 FormerUid': {
    reason: 'an object of a former resource of the same name is foreign',
    live: ownedBy({ ...ours, uid: 'former' }),
    want: false,
  },
  'C-6 NotController': {
    reason: 'an object whose owner is not its controller is foreign',
    live: ownedBy({ ...ours, controller: false }),
    want: false,
  },
  'C-6 NoOwner': {
    reason: 'an object without owner references is foreign',
    live: unowned,
    want: false,
  },
  'C-6 OtherNamespace': {
    reason: 'an object in another namespace is foreign, because its owner reference is invalid',
    live: fooDeployment({ metadata: { namespace: 'other' } }),
    want: false,
  },
};

describe('isOwn', () => {
  it.each(casesOf(owned))('%s', (_, { live, want }) => {
    expect(isOwn(observeResource(foo()), observeChild(live, { from: 'default' }))).toBe(want);
  });
});

it('C-6 a cluster-scoped resource has children in any namespace', () => {
  const child = observeChild(fooDeployment({ metadata: { namespace: 'other' } }), { from: '' });
  const { uid } = observeResource(foo());
  expect(isOwn({ uid, namespace: '' }, child)).toBe(true);
});

const without = (change: object): KubeObject => ({
  ...unowned,
  metadata: { ...unowned.metadata, ...change },
});

const subjectOf = (kind: Kind, of: Identity = identity) => ({
  identity: of,
  kind,
  resource: observeResource(foo()),
});

describe('an orphan', () => {
  it.each([
    ['D-4 has our labels and no controller', unowned, true],
    ['has no controller', fooDeployment(), false],
    ['is in the namespace of the resource', without({ namespace: 'other' }), false],
    ['has labels', without({ labels: {} }), false],
    [
      'has the labels of the resource, not of another one',
      without({ labels: { ...unowned.metadata.labels, 'app.kubernetes.io/instance': 'other' } }),
      false,
    ],
  ])('%s', (_, live, want) => {
    expect(isOrphan(subjectOf(fooKind), observeChild(live, { from: 'default' }))).toBe(want);
  });

  it('has the labels of this reconciler', () => {
    const observed = observeChild(unowned, { from: 'default' });
    expect(isOrphan(subjectOf(fooKind, { name: 'team-a' }), observed)).toBe(false);
  });

  it('has the labels of the kind', () => {
    expect(isOrphan(subjectOf(websiteKind), observeChild(unowned))).toBe(false);
  });
});
