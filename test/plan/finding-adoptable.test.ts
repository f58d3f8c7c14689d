import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../shared/kubernetes.ts';
import type { Outcome } from '../../shared/plan/decision/outcome.ts';
import { withRemedy } from '../../shared/plan/status/finding.ts';
import { foo as fooKind } from '../../systems/foo.ts';
import { fooDeployment } from '../support/children.ts';
import { observeResource } from '../support/observe.ts';
import { foo } from '../support/resources.ts';
import { worldOf } from '../support/worlds.ts';

const named = (name: string, metadata: object = {}): KubeObject =>
  fooDeployment({ metadata: { name, ownerReferences: [], ...metadata } });
const blocked = (name: string, reason = 'ErrResourceExists'): Outcome => ({
  child: { apiVersion: 'apps/v1', kind: 'Deployment', name },
  result: 'blocked',
  reason,
  message: `${name} exists`,
});
const messagesOf = (live: readonly KubeObject[], outcomes: readonly Outcome[]) =>
  withRemedy(outcomes, {
    ...worldOf(...live),
    kind: fooKind,
    resource: observeResource(foo()),
  }).map(({ message }) => message);

describe('withRemedy', () => {
  it('C-6 gives all children without an owner the same message, which begins with that of the first child', () => {
    const message =
      'b exists; labelled as children of this Foo but not owned by it, as after a restore: Deployment b, Deployment c; to take them over: reconciler adopt Foo foo-sample -n default';
    const foreign = named('a', { labels: { 'app.kubernetes.io/instance': 'other' } });
    expect(
      messagesOf([foreign, named('b'), named('c')], [blocked('a'), blocked('b'), blocked('c')]),
    ).toEqual(['a exists', message, message]);
  });

  it('names at most five of these children', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
    const [message] = messagesOf(
      names.map((name) => named(name)),
      names.map((name) => blocked(name)),
    );
    expect(message).toContain(
      ': Deployment a, Deployment b, Deployment c, Deployment d, Deployment e and 2 more;',
    );
  });

  it.each([
    ['is blocked for another reason', named('a'), blocked('a', 'ImmutableFieldChanged')],
    ['is being deleted', named('a', { deletionTimestamp: '2026-11-21T12:00:00Z' }), blocked('a')],
    [
      'has another controller',
      named('a', {
        ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid: 'x', controller: true }],
      }),
      blocked('a'),
    ],
  ])('keeps the message of a child that %s', (_, live, outcome) => {
    expect(messagesOf([live], [outcome])).toEqual([outcome.message]);
  });
});
