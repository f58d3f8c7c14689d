import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { configMap, job } from '../../index.ts';
import { foo } from '../../systems/foo.ts';
import { depot, finalizer } from '../support/finalizing-kind.ts';
import { type CliGround, type How, openCliGround } from './command-runner.ts';

let now = Date.parse('2026-11-26T12:00:00Z');
let ground: CliGround;
beforeAll(async () => {
  ground = await openCliGround({ kinds: [depot], clock: () => new Date(now) });
});
afterAll(() => ground.stop());

const run = (argv: readonly string[], how: How = {}) =>
  ground.run(argv, { kinds: [depot], ...how });
const live = (name = 'north') => ground.api.find(depot, name);
const settled = async (): Promise<void> => {
  ground.cluster.controllers.resume();
  await ground.cluster.controllers.settled();
  ground.cluster.controllers.pause();
};

/** Deletes a resource that is Ready, and lets one run begin its clean-up. */
beforeEach(async () => {
  for (const type of [depot, job, configMap])
    for (const { metadata } of await ground.api.list(type)) {
      const { name, finalizers } = metadata;
      if (finalizers) await ground.api.patch(type, name, { metadata: { finalizers: null } });
      await ground.api.remove(type, name).catch(() => undefined);
    }
  await settled();
  await ground.api.create(depot, 'north', { spec: {} });
  for (let runs = 0; runs < 2; runs++) {
    await run(['resync']);
    await settled();
  }
  await ground.api.remove(depot, 'north');
});

test('the plan of a deleted resource shows its clean-up and the removal of its finalizer', async () => {
  const first = await run(['plan']);
  expect(first.out).toContain('Job north-empty');
  expect(first.out).not.toContain('finalizer removed');
  await run(['resync']);
  await settled();
  expect((await run(['plan'])).out).toMatch(
    /delete +ConfigMap north-bucket[\s\S]*finalizer removed/,
  );
});

test('status and doctor list a resource that waits for its clean-up', async () => {
  expect((await run(['status'])).out).toMatch(
    /Depot default\/north +Deleting[\s\S]*waits for its clean-up/,
  );
  await run(['resync']);
  now += 180_000;
  expect((await run(['status'])).out).toContain(
    'Finalizing: ConfigMap north-bucket waits for Job north-empty; Job north-empty: not complete yet',
  );
  const { out } = await run(['doctor', '-o', 'json']);
  const { checks } = JSON.parse(out) as { checks: { name: string; message: string }[] };
  expect(checks.find(({ name }) => name === 'deletion of Depot')).toMatchObject({
    state: 'warn',
    message:
      '1 resource waiting for clean-up: default/north (deleted 3m ago, Finalizing: ConfigMap north-bucket waits for Job north-empty; Job north-empty: not complete yet)',
    remedy: expect.stringMatching(/release Depot --context local /),
  });
});

test('release says that no run has seen a deletion, whatever the status says of the time before', async () => {
  const { err } = await run(['release', 'Depot', '--yes']);
  expect(err).toMatch(/Depot default\/north: deleted \S+ ago, no run has seen the deletion\n/);
});

test('doctor lists no clean-up before a deletion', async () => {
  await run(['release', 'Depot', '--yes']);
  const { out } = await run(['doctor']);
  expect(out).toMatch(/deletion of Depot +no resource waits for its clean-up/);
});

test('release shows for which objects a deleted resource waits, and removes its finalizer without functions', async () => {
  await run(['resync']);
  now += 60_000;
  const asked: string[] = [];
  const confirm = async (question: string) => asked.push(question) > 0;
  const { code, out, err } = await run(['release', 'Depot', 'north'], { confirm });
  expect(asked).toEqual([
    expect.stringMatching(/^Remove 1 finalizer without clean-up, on cluster .*\?$/),
  ]);
  expect(err).toContain(
    'Depot default/north: deleted 60s ago, Finalizing: ConfigMap north-bucket waits for Job north-empty',
  );
  expect({ code, out }).toEqual({ code: 0, out: '1 of 1 finalizer removed\n' });
  expect(await live()).toBeUndefined();
});

test('release writes nothing if the user answers no or cannot be asked, or with DRY_RUN', async () => {
  const refused = await run(['release', 'Depot'], { confirm: async () => false });
  expect(refused).toMatchObject({ code: 1, err: expect.stringContaining('not released') });
  const unasked = await run(['release', 'Depot']);
  expect(unasked).toMatchObject({ code: 2, err: expect.stringContaining('add --yes') });
  const dry = await run(['release', 'Depot', '--yes'], { env: { DRY_RUN: 'true' } });
  expect(dry).toMatchObject({ code: 1, err: expect.stringContaining('DRY_RUN is true') });
  expect((await live())?.metadata.finalizers).toEqual([finalizer]);
});

test('release changes neither resources that are not deleted nor finalizers of others', async () => {
  await ground.api.create(depot, 'south', { metadata: { finalizers: [finalizer] }, spec: {} });
  const finalizers = ['a.example.com/b', finalizer];
  await ground.api.create(depot, 'east', { metadata: { finalizers }, spec: {} });
  await ground.api.remove(depot, 'east');
  expect(await run(['release', 'Depot', '--yes', '-o', 'json'])).toMatchObject({
    code: 0,
    out: expect.stringContaining('"released": 2'),
  });
  expect((await live('south'))?.metadata.finalizers).toEqual([finalizer]);
  expect((await live('east'))?.metadata.finalizers).toEqual(['a.example.com/b']);
  expect(await live()).toBeUndefined();
  expect((await run(['release', 'Depot', '--yes'])).out).toContain(
    'no resource that is being deleted',
  );
});

test('release reports a refusal of the server, and a resource that does not exist', async () => {
  const undo = ground.cluster.faults.add({
    verb: 'patch',
    resource: 'depots',
    effect: { kind: 'status', code: 409 },
  });
  const failed = await run(['release', 'Depot', '--yes']);
  undo();
  expect(failed).toMatchObject({ code: 1, out: '0 of 1 finalizer removed\n' });
  expect(failed.err).toContain('Depot default/north: ');
  expect(await run(['release', 'Depot', 'none'])).toMatchObject({ code: 1 });
  expect(await run(['release'])).toMatchObject({ code: 2 });
});

/** The project has no Depot any more, but its CRD and its resources are still there. */
const removed: How = { kinds: [foo] };

test.each(['Depot', 'depots', 'depots.example.org'])(
  'release finds a kind whose code was removed as %s, and shows what it does',
  async (word) => {
    await run(['resync']);
    now += 60_000;
    const { code, out, err } = await run(['release', word, 'north', '--yes'], removed);
    expect(err).toContain(
      'Depot default/north: deleted 60s ago, Finalizing: ConfigMap north-bucket',
    );
    expect({ code, out }).toEqual({ code: 0, out: '1 of 1 finalizer removed\n' });
    expect(await live()).toBeUndefined();
  },
);

test('release of a removed kind leaves other finalizers and resources that are not deleted', async () => {
  const finalizers = ['a.example.com/b', finalizer];
  await ground.api.create(depot, 'south', { metadata: { finalizers }, spec: {} });
  await ground.api.create(depot, 'east', { metadata: { finalizers }, spec: {} });
  await ground.api.remove(depot, 'east');
  const { out } = await run(['release', 'Depot', '--yes', '-o', 'json'], removed);
  expect(JSON.parse(out)).toMatchObject({ released: 2 });
  expect((await live('south'))?.metadata.finalizers).toEqual(finalizers);
  expect((await live('east'))?.metadata.finalizers).toEqual(['a.example.com/b']);
});

test('release names the kinds if neither the project nor the cluster has the kind', async () => {
  expect(await run(['release', 'Barn', '--yes'], removed)).toMatchObject({
    code: 2,
    err: expect.stringMatching(/there is no kind "Barn".*known kinds: Foo/),
  });
});

test('status lists resources of a removed kind that wait for their clean-up, and no others', async () => {
  await run(['resync']);
  await ground.api.create(depot, 'south', { spec: {} });
  const { out } = await run(['status'], removed);
  expect(out).toMatch(
    /Depot default\/north +Deleting[\s\S]*Finalizing: ConfigMap north-bucket waits for Job north-empty/,
  );
  expect(out).not.toContain('south');
  expect((await run(['status', '-n', 'other'], removed)).out).not.toContain('Depot');
  await run(['release', 'Depot', '--yes'], removed);
  expect((await run(['status'], removed)).out).not.toContain('Depot');
});

test('status names the removed kinds that it could not list', async () => {
  const undo = ground.cluster.faults.add({
    verb: 'list',
    resource: 'depots',
    effect: { kind: 'status', code: 500 },
  });
  const { out, err } = await run(['status', '-o', 'json'], removed);
  undo();
  expect(err).toMatch(/^depots\.example\.org could not be listed: /m);
  expect((JSON.parse(out) as { failures: string[] }).failures.join('\n')).toBe(err.trimEnd());
});

test('doctor lists resources that wait for the clean-up of a removed kind', async () => {
  const { out } = await run(['doctor', '-o', 'json'], removed);
  const { checks } = JSON.parse(out) as { checks: { name: string; message: string }[] };
  expect(checks.find(({ name }) => name.startsWith('deletion of'))).toMatchObject({
    name: 'deletion of Depot, a kind that is not reconciled here',
    state: 'warn',
    message: expect.stringMatching(/^1 resource waiting for clean-up: default\/north \(deleted/),
    remedy: expect.stringMatching(/release depots\.example\.org --context local /),
  });
  await run(['release', 'Depot', '--yes'], removed);
  expect((await run(['doctor'], removed)).out).not.toContain('deletion of');
});
