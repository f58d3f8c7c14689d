import { describe, expect, it } from 'vitest';
import type { Kind } from '../../shared/kinds/kind.ts';
import { observeResource } from '../../shared/plan/observed/observed-resource.ts';
import type { World } from '../../shared/plan/observed/world.ts';
import { insteadOfCleanUp, plan } from '../../shared/plan/plan.ts';
import { depot, finalizer } from '../support/finalizing-kind.ts';
import { identity } from '../support/observe.ts';
import { unexplored } from '../support/unexplored.ts';

const { finalize: _, ...plain } = depot;

/** An hour and a second after the deletion. */
const later = Date.parse('2026-11-26T13:00:01Z');

/** The status after a run that began the clean-up. */
const begun = {
  conditions: [
    {
      type: 'Ready',
      status: 'False',
      reason: 'Finalizing',
      message: 'Job north-empty: not complete yet',
      observedGeneration: 2,
      lastTransitionTime: '2026-11-26T12:00:00Z',
    },
  ],
};

const worldWith = (
  kind: Kind,
  finalizers: readonly string[],
  more: Partial<World> = {},
): World => ({
  ...unexplored,
  identity,
  kind,
  resource: observeResource(
    kind,
    {
      apiVersion: 'example.org/v1',
      kind: 'Depot',
      metadata: {
        name: 'north',
        namespace: 'a',
        uid: 'u',
        resourceVersion: '7',
        generation: 2,
        finalizers,
        creationTimestamp: '2026-11-26T11:00:00Z',
        deletionTimestamp: '2026-11-26T12:00:00Z',
      },
      spec: {},
      status: begun,
    },
    { identity },
  ),
  children: new Map(),
  ...more,
});

describe('insteadOfCleanUp', () => {
  it.each<[string, World, unknown]>([
    ['undefined if the clean-up can begin', worldWith(depot, [finalizer]), undefined],
    ['nothing if the kind has no clean-up any more', worldWith(plain, [finalizer]), []],
    [
      'undefined after the time limit, for a last attempt',
      worldWith(depot, [finalizer], { now: later }),
      undefined,
    ],
    [
      'undefined if the clean-up can begin in a foreground deletion',
      worldWith(depot, [finalizer, 'foregroundDeletion']),
      undefined,
    ],
    [
      'a wait while the garbage collector orphans the children',
      worldWith(depot, [finalizer, 'orphan']),
      [expect.objectContaining({ verb: 'wait', reason: 'Finalizing' })],
    ],
  ])('is %s', (_, world, want) => {
    expect(insteadOfCleanUp(world)).toEqual(want);
  });
});

describe('the plan of a deleted resource', () => {
  it('reads an object by name that must be gone and that no list contains', () => {
    expect(plan(worldWith(depot, [finalizer]))).toMatchObject({
      state: 'unseen',
      listed: [],
      names: [{ kind: 'ConfigMap', name: 'north-bucket' }],
    });
  });

  it('treats an object as gone if its type is not served, but not if the type cannot be listed', () => {
    const decisionOn = (reason: string) => {
      const why = { reason, message: 'x', transient: true };
      const planned = plan(
        worldWith(depot, [finalizer], { unlisted: new Map([['configmaps', why]]) }),
      );
      return 'decisions' in planned ? planned.decisions.map(({ verb }) => verb) : [];
    };
    expect(decisionOn('TypeNotServed')).toEqual(['create', 'none']);
    expect(decisionOn('Forbidden')).toEqual(['create', 'fail']);
  });

  it('changes no child if the resource does not have our finalizer', () => {
    expect(plan(worldWith(depot, ['example.com/hold']))).toEqual({ state: 'deleting' });
  });
});
