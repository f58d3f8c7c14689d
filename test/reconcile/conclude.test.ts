import { beforeEach, describe, expect, test } from 'vitest';
import type { LogLine } from '../../infra/log-line.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { KubeError } from '../../shared/cluster/cluster-errors.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { configMap } from '../../shared/kinds/child-types/core.ts';
import type { ResourceStatus } from '../../shared/plan/observed/recorded-status.ts';
import type { EventRecord } from '../../shared/plan/status/kubernetes-events.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import {
  type Conclusion,
  commit,
  conclude,
  giveUp,
  noResult,
} from '../../shared/resource/conclude.ts';
import type { Turn } from '../../shared/resource/turn.ts';
import { StaleError } from '../../shared/resource/turn.ts';
import type { Run } from '../../shared/run/run.ts';
import { foo } from '../../systems/foo.ts';
import { logInto } from '../support/log.ts';
import { witness } from '../support/witness.ts';
import { eachCall } from './calls.ts';
import { type RunParts, runWith, turnWith } from './run-with.ts';
import { usePlace, useStepWorld } from './use-engine.ts';

const world = useStepWorld([foo]);
const place = usePlace(world);
let state: Turn;
let calls: string[];
let lines: LogLine[];
/** Runs before the nth call of that name. */
let before: (what: string, nth: number) => unknown;
/** Runs after each call, with its name. */
let after: (what: string, nth: number) => unknown;
beforeEach(async () => {
  await place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
  state = await world.begin(place, foo, 'f');
  calls = [];
  lines = [];
  before = () => undefined;
  after = () => undefined;
});

function run(over: Partial<RunParts> = {}): Run {
  const cluster: Cluster = eachCall(world.run.cluster, async (what, call) => {
    calls.push(what);
    const nth = calls.filter((one) => one === what).length;
    await before(what, nth);
    const response = await call();
    await after(what, nth);
    return response;
  });
  const log = logInto(lines, 'INFO');
  return runWith(world.run, { cluster, log, ...over });
}

const written = 'apply Foo/status f';
const status: ResourceStatus = { observedGeneration: 1, children: [] };
const event: EventRecord = { type: 'Normal', reason: 'Synced', message: 'done' } as EventRecord;
interface Given extends Partial<Conclusion> {
  readonly wrote?: boolean;
}
const committed = ({ wrote = false, ...over }: Given = {}, own = run()) => {
  state.wrote = wrote;
  return commit(turnWith(state, own), { statusFor: () => status, events: [], ...over });
};
const live = () => place.api.get(foo, 'f');
const stalled = {
  type: 'Stalled',
  status: 'True',
  reason: 'Theirs',
  message: 'theirs',
  observedGeneration: 1,
  lastTransitionTime: '2026-11-29T00:00:00Z',
} as const;
const stall = () =>
  place.api.patch(foo, 'f', { status: { conditions: [stalled] } }, { subresource: 'status' });
/** Leaves a condition of which we hold the message, and another manager the rest. */
async function shareCondition(): Promise<void> {
  await stall();
  const conditions = [{ ...stalled, message: 'ours' }];
  await committed({ statusFor: () => ({ ...status, conditions }) });
  expect((await live()).status).toMatchObject({ conditions });
}
const label = (value: string | number) =>
  place.api.patch(foo, 'f', { metadata: { labels: { touched: String(value) } } });
const edit = () => place.api.patch(foo, 'f', { spec: { replicas: 2 } });
const suspend = () =>
  place.api.patch(foo, 'f', {
    metadata: { annotations: { 'serverless-reconciler/suspend': 'true' } },
  });
const conflict = (lostResponse: boolean) =>
  new KubeError('apply', { code: 409, status: { reason: 'Conflict' }, lostResponse });

describe('Events', () => {
  test.each([
    ['if a child was written', { wrote: true, statusFor: () => undefined }, 1],
    ['if the status changes', { wrote: false }, 1],
    ['only with a change to report', { wrote: false, statusFor: () => undefined }, 0],
  ])('are posted %s', async (_, over, want) => {
    await committed({ ...over, events: [event] });
    expect(await place.api.list(eventType)).toHaveLength(want);
  });

  test('that are refused are logged, and do not prevent the status write', async () => {
    const error = new KubeError('create', { code: 403, status: { reason: 'Forbidden' } });
    before = (what) => {
      if (what === 'create Event') throw error;
    };
    expect(await committed({ events: [event] })).toBe(true);
    expect(lines).toMatchObject([{ message: 'event not posted', error: error.message }]);
  });

  test('that another run has already posted are ignored', async () => {
    before = (what) => {
      if (what === 'create Event')
        throw new KubeError('create', { code: 409, status: { reason: 'AlreadyExists' } });
    };
    await committed({ events: [event] });
    expect(lines).toEqual([]);
  });
});

describe('the status', () => {
  test('is written once per run', async () => {
    expect(await committed()).toBe(true);
    expect(calls).toEqual([written]);
    expect((await live()).status).toMatchObject(status);
  });

  test('is not written without a change, and after a write the resource is read once', async () => {
    expect(await committed({ statusFor: () => undefined })).toBe(false);
    expect(calls).toEqual([]);
    expect(await committed({ statusFor: () => undefined, wrote: true })).toBe(false);
    expect(calls).toEqual(['get Foo f']);
  });

  test('counts as written after a lost response if the server has stored it', async () => {
    after = (what) => {
      if (what === written) throw conflict(true);
    };
    const isWritten = () => calls.includes(written);
    expect(await committed({ statusFor: () => (isWritten() ? undefined : status) })).toBe(true);
  });

  test('counts as written by another run if nothing is left to write after a conflict', async () => {
    before = async (what) => {
      if (what === written) await label('x');
    };
    const isTried = () => calls.includes(written);
    expect(await committed({ statusFor: () => (isTried() ? undefined : status) })).toBe(false);
    expect(calls).toEqual([written, 'get Foo f']);
  });

  test('is not written for a resource that is gone after a conflict', async () => {
    before = async (what) => {
      if (what === written) await label('x');
      else await place.api.remove(foo, 'f');
    };
    expect(await committed()).toBe(false);
    expect(calls).toEqual([written, 'get Foo f']);
  });

  test('is not written for a resource that is gone', async () => {
    await place.api.remove(foo, 'f');
    expect(await committed()).toBe(false);
  });

  test('is not written for a newer spec before that was planned', async () => {
    before = async (what) => {
      if (what === written) await edit();
    };
    await expect(committed()).rejects.toThrow(
      `cannot commit Foo ${place.namespace}/f: Conflict: it changed meanwhile`,
    );
    expect((await live()).status).toEqual({ observedGeneration: -1 });
  });

  test('is locked to the uid alone at the fifth attempt', async () => {
    before = async (what, nth) => {
      if (what === written) await label(nth);
    };
    expect(await committed()).toBe(true);
    expect(calls.filter((what) => what === written)).toHaveLength(5);
  });

  test('removes a condition of which another manager holds a part', async () => {
    await shareCondition();
    expect(await committed()).toBe(true);
    expect((await live()).status).toEqual({ ...status, conditions: [] });
  });

  test('removes declared fields that others set and that are not desired', async () => {
    const theirs = { status: { availableReplicas: 3 } };
    await place.api.patch(foo, 'f', theirs, { subresource: 'status' });
    state = await world.begin(place, foo, 'f');
    expect(await committed()).toBe(true);
    expect(calls).toEqual([written, 'patch Foo f']);
    expect((await live()).status).toEqual(status);
  });
});

describe('a status that reports that a run gave up', () => {
  const unlocked = { unlocked: true, wrote: true };

  test('is not written to a new resource of the same name', async () => {
    await shareCondition();
    before = async (what) => {
      if (what !== 'get Foo f') return;
      await place.api.remove(foo, 'f');
      await place.api.create(foo, 'f', { spec: { deploymentName: 'b', replicas: 1 } });
      await stall();
    };
    await expect(committed(unlocked)).rejects.toThrow('Required value');
    expect((await live()).status).toEqual({ observedGeneration: -1, conditions: [stalled] });
  });

  test('is written even if the resource has changed since', async () => {
    await label('x');
    expect(await committed(unlocked)).toBe(true);
    expect(calls).toEqual([written]);
  });

  test('is written even if the resource was edited', async () => {
    await edit();
    expect(await committed(unlocked)).toBe(true);
    expect((await live()).status).toMatchObject(status);
  });

  test('is not sent again after a conflict', async () => {
    before = (what) => {
      if (what === written) throw conflict(false);
    };
    expect(await committed(unlocked)).toBe(false);
    expect(calls).toEqual([written]);
  });

  test('is not written if it is already stored', async () => {
    expect(await committed({ ...unlocked, statusFor: () => undefined })).toBe(false);
    expect(calls).toEqual([]);
  });
});

describe('a run that gives up', () => {
  const stale = new StaleError('update Deployment a');

  test.each([
    ['a conflict', stale, 'Conflict'],
    ['lack of time', new Error('over'), 'NotFinished'],
  ])('because of %s reports that, with the rest of its work', async (_, error, reason) => {
    expect(await giveUp(turnWith(state, run()), error)).toEqual({
      summary: { state: 'Reconciling', reason, message: expect.stringContaining(error.message) },
      statusWritten: true,
      error: `not finished, will be tried again in the next run: ${error.message}`,
    });
    expect((await live()).status?.conditions?.[0]).toMatchObject({ type: 'Ready', reason });
    expect((await live()).status).toMatchObject({ observedGeneration: -1 });
  });

  test('keeps what its children reported if a newer spec was not planned yet', async () => {
    await place.resync({ kinds: [foo] });
    const ready = { replicas: 1, readyReplicas: 1, availableReplicas: 1 };
    await place.api.patch(deployment, 'a', { status: ready }, { subresource: 'status' });
    await place.resync({ kinds: [foo] });
    expect((await live()).status).toMatchObject({ availableReplicas: 1 });
    state = await world.begin(place, foo, 'f');
    await edit();
    await giveUp(turnWith(state, run()), stale);
    expect((await live()).status).toMatchObject({
      availableReplicas: 1,
      conditions: [{ type: 'Ready', reason: 'Conflict' }, { type: 'Reconciling' }],
    });
  });

  test('has no result for a resource that no longer exists', async () => {
    await place.api.remove(foo, 'f');
    expect(await giveUp(turnWith(state, run()), stale)).toBe(noResult);
  });

  test('reports nothing for a resource that was suspended meanwhile', async () => {
    await suspend();
    await expect(giveUp(turnWith(state, run()), stale)).rejects.toBe(stale);
    expect((await live()).status).toEqual({ observedGeneration: -1 });
  });

  test('reports nothing if another run has completed a newer spec', async () => {
    await edit();
    await place.resync({ kinds: [foo] });
    const { status: finished } = await live();
    await expect(giveUp(turnWith(state, run()), stale)).rejects.toBe(stale);
    expect((await live()).status).toEqual(finished);
  });

  test('reports that for a newer spec, too, if no run has completed it', async () => {
    await edit();
    expect(await giveUp(turnWith(state, run()), stale)).toMatchObject({ statusWritten: true });
  });
});

describe('a run that gives up on a kind whose status remembers what it has read', () => {
  const remembering = useStepWorld([witness]);

  test('forgets nothing that an overlapping run has noted', async () => {
    const there = await remembering.place();
    await there.api.create(witness, 'one', { spec: {} });
    const turn = await remembering.begin(there, witness, 'one');
    await there.api.create(configMap, 'signal', {});
    await there.resync({ kinds: [witness] });
    await there.api.remove(configMap, 'signal');
    await giveUp(turn, new Error('over'));
    expect((await there.api.get(witness, 'one')).status).toMatchObject({ seen: true });
  });
});

describe('conclude', () => {
  test('C-14 reports immediately that the resource is suspended', async () => {
    await suspend();
    state = await world.begin(place, foo, 'f');
    state.wrote = true;
    expect(await conclude(turnWith(state, run()), undefined)).toMatchObject({
      statusWritten: true,
    });
    expect((await live()).status?.conditions).toMatchObject([
      { type: 'Ready' },
      { type: 'Suspended' },
    ]);
    expect(await place.api.list(eventType)).toEqual([]);
  });
});
