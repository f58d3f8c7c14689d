import { beforeEach, describe, expect, test } from 'vitest';
import { KubeError, UnreachableError } from '../../shared/cluster/cluster-errors.ts';
import { weightOf } from '../../shared/json.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { keyOf } from '../../shared/kubernetes.ts';
import type { Create, WriteDecision } from '../../shared/plan/decision/decision.ts';
import { readChild } from '../../shared/reading/read.ts';
import { perform } from '../../shared/resource/perform.ts';
import { planResource } from '../../shared/resource/plan-resource.ts';
import type { Turn } from '../../shared/resource/turn.ts';
import { StaleError } from '../../shared/resource/turn.ts';
import { foo } from '../../systems/foo.ts';
import { eachCall } from './calls.ts';
import { runWith, turnWith } from './run-with.ts';
import { nowMs } from './step-world.ts';
import { usePlace, useStepWorld } from './use-engine.ts';

const world = useStepWorld([foo]);
const place = usePlace(world);
let state: Turn;
let creation: WriteDecision;
let key: string;
beforeEach(async () => {
  await place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
  await begin();
});

async function begin(freshUntil = nowMs): Promise<void> {
  state = await world.begin(place, foo, 'f', freshUntil);
  const planned = await planResource(state);
  if (planned.state !== 'planned') throw new Error(`the plan is ${planned.state}`);
  creation = planned.decisions[0] as WriteDecision;
  key = keyOf(creation.child);
  state.conflicts.set(key, { count: 3, first: undefined, paths: new Set() });
}

const outcomes = () => [...state.outcomes.values()];
const performed = () => perform(state, creation);
/** Fails every apply of a Deployment. */
const failing = (error: Error) => {
  const cluster = eachCall(world.run.cluster, (what, call) =>
    what.startsWith('apply Deployment') ? Promise.reject(error) : call(),
  );
  return perform(turnWith(state, runWith(world.run, { cluster })), creation);
};
async function thrownBy(performing: Promise<void>): Promise<unknown> {
  try {
    await performing;
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

describe('perform: a decision', () => {
  test('that writes returns its outcome, and ends a series of conflicts', async () => {
    await performed();
    expect(outcomes()).toMatchObject([{ child: { name: 'a' }, result: 'created' }]);
    expect(state.conflicts.has(key)).toBe(false);
    expect(state.wrote).toBe(true);
  });

  test('whose resource has changed is stale, but has not failed', async () => {
    await begin(nowMs - 1);
    await place.api.patch(foo, 'f', { spec: { replicas: 2 } });
    const error = await thrownBy(performed());
    expect(error).toBeInstanceOf(StaleError);
    expect(error).toMatchObject({ decision: undefined });
    expect(outcomes()).toEqual([]);
    expect(await place.api.find(deployment, 'a')).toBeUndefined();
  });
});

test('perform: an adoption does not show that an earlier create was carried out', async () => {
  await place.api.create(deployment, 'a', { spec: (creation as Create).fields.spec });
  const ref = { ...creation.child, type: deployment };
  await readChild(state.run, state.world, ref);
  state.lost.set(key, { child: creation.child, result: 'created', existed: true });
  creation = { ...creation, verb: 'update', lock: 'previous', differences: [] } as WriteDecision;
  await performed();
  expect(outcomes()).toMatchObject([{ result: 'updated' }]);
});

describe('perform: a request that fails', () => {
  const refused = (code: number, reason: string, lostResponse = false) =>
    new KubeError('apply', { code, status: { reason, message: 'no' }, lostResponse });

  test('permanently is no write, and its outcome is failed', async () => {
    await failing(refused(403, 'Forbidden'));
    expect(outcomes()).toMatchObject([
      { result: 'failed', reason: 'Forbidden', transient: false, child: creation.child },
    ]);
    expect(state.wrote).toBe(false);
    expect(state.conflicts.get(key)?.count).toBe(3);
    expect([...state.world.givenUp.keys()]).toEqual([key]);
  });

  test('without a response may have been executed', async () => {
    await failing(new UnreachableError('lost'));
    expect(outcomes()).toMatchObject([{ result: 'failed', reason: 'Unreachable' }]);
    expect(state.wrote).toBe(true);
    expect(state.world.givenUp.size).toBe(0);
  });

  test('without a response is kept for later passes in at most 64 KiB', async () => {
    const large = { path: 'spec.template', from: Array(50_000).fill('x'), to: [] };
    const differences = [{ ...large, writer: undefined }];
    const lock = { uid: 'u', resourceVersion: '1' };
    creation = { ...creation, verb: 'update', lock, differences } as WriteDecision;
    await failing(new UnreachableError('lost'));
    expect(state.lost.get(key)).toMatchObject({ result: 'updated' });
    expect(weightOf(state.lost.get(key))).toBeLessThan(65_536);
  });

  test.each([true, false])(
    'with a conflict is stale (an earlier response was lost: %s)',
    async (lost) => {
      const error = await thrownBy(failing(refused(409, 'Conflict', lost)));
      expect(error).toMatchObject({
        message: 'cannot create Deployment a: Conflict: it changed meanwhile',
        decision: creation,
      });
      expect(state.lost.has(key)).toBe(lost);
      expect(outcomes()).toEqual([]);
    },
  );

  test('as invalid is stale only if it is an update', async () => {
    await failing(refused(422, 'Invalid'));
    expect(outcomes()).toMatchObject([{ result: 'failed', reason: 'Invalid' }]);
  });
});
