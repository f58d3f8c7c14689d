import { beforeEach, describe, expect, test } from 'vitest';
import type { LogLine } from '../../infra/log-line.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { KubeError } from '../../shared/cluster/cluster-errors.ts';
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
import { StaleError } from '../../shared/resource/stale.ts';
import type { Turn } from '../../shared/resource/turn.ts';
import type { Run } from '../../shared/run/run.ts';
import { foo } from '../../systems/foo.ts';
import { logInto } from '../support/log.ts';
import { eachCall } from './calls.ts';
import { type RunParts, runWith, turnWith } from './run-with.ts';
import { usePlace, useStepWorld } from './use-engine.ts';

const world = useStepWorld([foo]);
const place = usePlace(world);
let state: Turn;
let calls: string[];
let lines: LogLine[];
/** What happens before the nth call of that name. */
let before: (what: string, nth: number) => unknown;
/** Acts after each call, by its name. */
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
    const answer = await call();
    await after(what, nth);
    return answer;
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
const label = (value: string | number) =>
  place.api.patch(foo, 'f', { metadata: { labels: { touched: String(value) } } });
const edit = () => place.api.patch(foo, 'f', { spec: { replicas: 2 } });
const suspend = () =>
  place.api.patch(foo, 'f', {
    metadata: { annotations: { 'serverless-reconciler/suspend': 'true' } },
  });
const conflict = (lostAnswer: boolean) =>
  new KubeError('apply', { code: 409, status: { reason: 'Conflict' }, lostAnswer });

describe('Events', () => {
  test.each([
    ['if something was written', { wrote: true, statusFor: () => undefined }, 1],
    ['if there is a status to write', { wrote: false }, 1],
    ['unless there is nothing to report', { wrote: false, statusFor: () => undefined }, 0],
  ])('are posted %s', async (_, over, want) => {
    await committed({ ...over, events: [event] });
    expect(await place.api.list(eventType)).toHaveLength(want);
  });

  test('that are refused are logged, and the status is written', async () => {
    const error = new KubeError('create', { code: 403, status: { reason: 'Forbidden' } });
    before = (what) => {
      if (what === 'create Event') throw error;
    };
    expect(await committed({ events: [event] })).toBe(true);
    expect(lines).toMatchObject([{ message: 'event not posted', error: error.message }]);
  });

  test('that another run has posted are passed over', async () => {
    before = (what) => {
      if (what === 'create Event')
        throw new KubeError('create', { code: 409, status: { reason: 'AlreadyExists' } });
    };
    await committed({ events: [event] });
    expect(lines).toEqual([]);
  });
});

describe('the status', () => {
  test('is written once', async () => {
    expect(await committed()).toBe(true);
    expect(calls).toEqual([written]);
    expect((await live()).status).toMatchObject(status);
  });

  test('is not written if nothing changes; after a write the resource is read once', async () => {
    expect(await committed({ statusFor: () => undefined })).toBe(false);
    expect(calls).toEqual([]);
    expect(await committed({ statusFor: () => undefined, wrote: true })).toBe(false);
    expect(calls).toEqual(['get Foo f']);
  });

  test('counts as written after a lost answer if the server has it', async () => {
    after = (what) => {
      if (what === written) throw conflict(true);
    };
    const isWritten = () => calls.includes(written);
    expect(await committed({ statusFor: () => (isWritten() ? undefined : status) })).toBe(true);
  });

  test('was written by another run if nothing is left to write after a conflict', async () => {
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

  test('is for one spec: a newer one is planned first', async () => {
    before = async (what) => {
      if (what === written) await edit();
    };
    await expect(committed()).rejects.toThrow(
      `cannot commit Foo ${place.namespace}/f: Conflict: it changed meanwhile`,
    );
    expect((await live()).status).toBeUndefined();
  });

  test('is locked to the uid alone at the fifth attempt', async () => {
    before = async (what, nth) => {
      if (what === written) await label(nth);
    };
    expect(await committed()).toBe(true);
    expect(calls.filter((what) => what === written)).toHaveLength(5);
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

describe('a status that reports a resource as given up', () => {
  const unlocked = { unlocked: true, wrote: true };

  test('is written whatever has changed since', async () => {
    await label('x');
    expect(await committed(unlocked)).toBe(true);
    expect(calls).toEqual([written]);
  });

  test('is written even if the resource was edited', async () => {
    await edit();
    expect(await committed(unlocked)).toBe(true);
    expect((await live()).status).toMatchObject(status);
  });

  test('is not tried again after a conflict', async () => {
    before = (what) => {
      if (what === written) throw conflict(false);
    };
    expect(await committed(unlocked)).toBe(false);
    expect(calls).toEqual([written]);
  });

  test('is not written if it is already there', async () => {
    expect(await committed({ ...unlocked, statusFor: () => undefined })).toBe(false);
    expect(calls).toEqual([]);
  });
});

describe('giving up', () => {
  const stale = new StaleError('update Deployment a');

  test.each([
    ['a conflict', stale, 'Conflict'],
    ['lack of time', new Error('over'), 'NotFinished'],
  ])('for %s is reported, with what is left to do', async (_, error, reason) => {
    expect(await giveUp(turnWith(state, run()), error)).toEqual({
      summary: { state: 'Reconciling', reason, message: expect.stringContaining(error.message) },
      statusWritten: true,
      error: `not finished, will be tried again in the next run: ${error.message}`,
    });
    expect((await live()).status?.conditions?.[0]).toMatchObject({ type: 'Ready', reason });
    expect((await live()).status).not.toHaveProperty('observedGeneration');
  });

  test('has no result for a resource that is gone', async () => {
    await place.api.remove(foo, 'f');
    expect(await giveUp(turnWith(state, run()), stale)).toBe(noResult);
  });

  test('is not reported for a resource that was suspended meanwhile', async () => {
    await suspend();
    await expect(giveUp(turnWith(state, run()), stale)).rejects.toBe(stale);
    expect((await live()).status).toBeUndefined();
  });

  test('is not reported if another run has finished a newer spec', async () => {
    await edit();
    await place.resync({ kinds: [foo] });
    const { status: finished } = await live();
    await expect(giveUp(turnWith(state, run()), stale)).rejects.toBe(stale);
    expect((await live()).status).toEqual(finished);
  });

  test('is reported for a newer spec that no run has finished', async () => {
    await edit();
    expect(await giveUp(turnWith(state, run()), stale)).toMatchObject({ statusWritten: true });
  });
});

describe('the end of the run of a resource', () => {
  test('C-14 reports at once that it is suspended', async () => {
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
