import { beforeEach, describe, expect, test } from 'vitest';
import { child, defineKind, job, ofType, secret, Type } from '../../index.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { isWriteRequest, type Place } from './engine.ts';
import { useEngine } from './use-engine.ts';

const podOf = (image: string) => ({
  restartPolicy: 'Never' as const,
  containers: [{ name: 'a', image }],
});
/** A list of steps. */
const list = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'List',
  plural: 'lists',
  versions: [{ name: 'v0', served: true }],
  spec: Type.Object({
    steps: Type.Array(Type.String()),
    step: Type.Union([Type.Literal('once'), Type.Literal('each-time')], { default: 'once' }),
    image: Type.String({ default: 'a' }),
  }),
  status: { outcome: Type.String() },
  statusOf: ({ children }) => ({
    outcome: ofType(children, job)
      .map(({ facts }) => facts.outcome ?? 'Running')
      .join(),
  }),
  samples: [{ name: 'one', spec: { steps: ['a'] } }],
  owns: [job],
  children: ({ spec: { steps, step, image } }) =>
    steps.map((name) =>
      child(job, {
        name,
        step,
        onCollision: 'adopt-if-unowned',
        body: { spec: { template: { spec: podOf(image) } } },
      }),
    ),
});

/** A repository that a step encrypts with a generated key. */
const vault = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Vault',
  plural: 'vaults',
  spec: Type.Object({}),
  samples: [{ name: 'one', spec: {} }],
  owns: [job, secret],
  children: ({ name }) => {
    const init = { type: job, name: `${name}-init` };
    const generated = { keys: ['password'], usedBy: [init] };
    const key = child(secret, { name: `${name}-key`, body: {}, generated });
    const body = { spec: { template: { spec: podOf('a') } } };
    return [key, child(job, { ...init, step: 'once', needs: [key], body })];
  },
});

let now = Date.parse('2026-11-26T12:00:00Z');
const engine = useEngine({
  controllers: 'paused',
  install: [list, vault],
  clock: () => new Date(now),
});
let place: Place;
beforeEach(async () => {
  place = await engine.place([list, vault]);
  await place.api.create(list, 'one', { spec: { steps: ['a'] } });
});
const settled = async (): Promise<void> => {
  engine.cluster.controllers.resume();
  await engine.cluster.controllers.settled();
  engine.cluster.controllers.pause();
};
const want = (...steps: readonly string[]) => place.api.patch(list, 'one', { spec: { steps } });
const complete = async (): Promise<void> => {
  for (let runs = 0; runs < 4; runs++) {
    await place.resync();
    await settled();
  }
};
const created = (): readonly string[] =>
  place
    .requests()
    .filter(
      ({ verb, resource, status }) => verb === 'patch' && resource === 'jobs' && status === 201,
    )
    .map(({ name }) => name ?? '');

test('a step that completed unobserved, while it was no longer desired, is not run again', async () => {
  await place.resync();
  await settled();
  await want();
  await complete();
  expect(await place.api.list(job)).toEqual([]);
  await want('a');
  await complete();
  expect(created()).toEqual(['a']);
});

test('a desired step stays recorded as complete when others are no longer desired', async () => {
  await complete();
  await want();
  await complete();
  await want('a', ...Array.from({ length: 33 }, (_, at) => `b${at}`));
  await complete();
  await want('a');
  await complete();
  expect(created().filter((name) => name === 'a')).toEqual(['a']);
});

test('a step that is desired again is not written without changes', async () => {
  await complete();
  await want();
  await complete();
  await want('a');
  await complete();
  const begun = place.requests().length;
  await place.resync();
  expect(
    place
      .requests()
      .slice(begun)
      .filter(({ verb }) => !['get', 'list'].includes(verb)),
  ).toEqual([]);
});

const discard = async (name = 'a'): Promise<void> => {
  await place.api.remove(job, name);
  await complete();
};
const names = async () => (await place.api.list(job)).map(({ metadata }) => metadata.name);
const outcome = async () => (await place.api.get(list, 'one')).status?.outcome;
const ready = async () =>
  (await place.api.get(list, 'one')).status?.conditions?.find(({ type }) => type === 'Ready');

describe.each(['once', 'each-time'])('the Job of a completed step that runs %s', (step) => {
  beforeEach(async () => {
    await place.api.patch(list, 'one', { spec: { step } });
    await complete();
  });

  test('stays, and is not created again if it is deleted, even by the daily comparison', async () => {
    expect(await names()).toEqual(['a']);
    await discard();
    now += 24 * 3_600_000;
    await complete();
    expect(created()).toEqual(['a']);
    expect(await outcome()).toBe('Complete');
    expect(await ready()).toMatchObject({ status: 'True' });
  });

  test('frees its name, if it is deleted, for a step with other fields', async () => {
    await discard();
    for (const image of ['b', 'a']) {
      await place.api.patch(list, 'one', { spec: { image } });
      await complete();
      if (step === 'each-time' || image === 'b') await discard();
    }
    expect(created()).toHaveLength(step === 'once' ? 2 : 3);
    expect(await names()).toEqual([]);
  });

  test('is not written without changes after it is deleted', async () => {
    await discard();
    const begun = place.requests().length;
    await place.resync();
    expect(place.requests().slice(begun).filter(isWriteRequest)).toEqual([]);
  });
});

test('a step that runs each time is run again when it is desired again', async () => {
  await place.api.patch(list, 'one', { spec: { step: 'each-time' } });
  await complete();
  await want();
  await complete();
  await want('a');
  await complete();
  expect(created()).toEqual(['a', 'a']);
});

test('no step is run again because the kind has a new version', async () => {
  const former = { ...list, version: 'v0', versions: [] };
  const runAs = async (kind: typeof list) => {
    for (let runs = 0; runs < 4; runs++) {
      await place.resync({ kinds: [kind] });
      await settled();
    }
  };
  await want('a', 'b');
  await runAs(former);
  await want('a');
  await place.api.remove(job, 'a');
  await runAs(former);
  expect(await place.api.list(job)).toEqual([]);
  await runAs(list);
  await runAs({ ...list, versions: [] });
  await want('a', 'b');
  await runAs(list);
  expect(created()).toEqual(['a', 'b']);
  expect((await place.api.get(list, 'one')).status).toMatchObject({ outcome: 'Complete,Complete' });
});

test('a completed step whose Job is gone counts as changed by code, not as drifted, if new code runs it again', async () => {
  await complete();
  await discard();
  const desired: typeof list.desired = (...input) => {
    const children = list.desired(...input);
    return 'invalid' in children
      ? children
      : children.map((one) => ({ ...one, labels: { code: 'new' } }));
  };
  const report = await place.resync({ kinds: [{ ...list, desired }] });
  expect(report.origins).toMatchObject({ code: 1, drift: 0 });
  expect(await place.api.list(eventType)).toEqual([]);
});

test('a key that a completed step has used is not generated anew, although the Job is gone', async () => {
  await place.api.create(vault, 'safe', { spec: {} });
  await complete();
  await discard('safe-init');
  expect(await place.api.find(job, 'safe-init')).toBeUndefined();
  await place.api.remove(secret, 'safe-key');
  for (let runs = 0; runs < 2; runs++) {
    await place.resync();
    const { conditions } = (await place.api.get(vault, 'safe')).status as unknown as {
      readonly conditions: readonly { readonly type: string; readonly message: string }[];
    };
    expect(conditions.find(({ type }) => type === 'Stalled')?.message).toContain(
      'the lost data is still used by Job safe-init (a completed step)',
    );
  }
  expect(await place.api.find(secret, 'safe-key')).toBeUndefined();
});
