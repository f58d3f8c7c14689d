import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { definitionType } from '../../shared/rollout/pause.ts';
import { imageOf, kind, versionOf } from '../properties/rollout-fleet.ts';
import { type CliGround, type How, openCliGround } from './command-runner.ts';

let ground: CliGround;
let ahead = 0;
const clock = (): Date => new Date(Date.now() + ahead);
/** Moves the clock past the rollout timeout. */
const pass = (): void => {
  ahead += 100_000;
};

beforeAll(async () => {
  ground = await openCliGround({ kinds: [kind], clock });
});
afterAll(() => ground.stop());

const names = ['a', 'b', 'c', 'd', 'e'];
const v2 = versionOf('v2');
const env = { ROLLOUT_BUDGET: '2', ROLLOUT_TIMEOUT_SECONDS: '60' };

const run = (argv: readonly string[], how: How = {}) =>
  ground.run(argv, { kinds: [v2], env, ...how });
const resync = (how: How = {}) => run(['resync'], how);

/** Lets all pods become ready. */
async function settled(): Promise<void> {
  const { controllers } = ground.cluster;
  controllers.resume();
  await controllers.settled();
  controllers.pause();
}

const annotationOf = async (): Promise<string | undefined> => {
  const { metadata } = await ground.admin.get(definitionType, 'fleets.example.org');
  return metadata.annotations?.['serverless-reconciler/rollout'];
};

const changed = async (): Promise<readonly string[]> =>
  (await ground.api.list(deployment))
    .filter((live) => imageOf(live) === 'v2')
    .map(({ metadata }) => metadata.name)
    .toSorted();

const shown = async (how: How = {}) => {
  const { out } = await run(['rollout', '-o', 'json'], how);
  return JSON.parse(out) as readonly { readonly state: string; readonly members: object[] }[];
};

const sent = (matches: (request: { verb: string; resource: string }) => boolean) =>
  ground.cluster.requests.list().filter(matches);
const writes = () => sent(({ verb }) => !['get', 'list'].includes(verb) && verb !== 'create');

/**
 * Creates five resources that are Ready with the old version, and makes one resync of the new version, which
 * changes one.
 */
beforeEach(async () => {
  const { admin, api, cluster } = ground;
  for (const type of [kind, deployment])
    for (const { metadata } of await api.list(type)) await api.remove(type, metadata.name);
  await admin.patch(definitionType, 'fleets.example.org', {
    metadata: { annotations: { 'serverless-reconciler/rollout': null } },
  });
  for (const name of names) await api.create(kind, name, { spec: {} });
  await resync({ kinds: [kind] });
  await settled();
  await resync({ kinds: [kind] });
  cluster.requests.reset();
  await resync();
  expect(await changed()).toHaveLength(1);
});

describe('rollout', () => {
  it('shows no budget larger than the number of resources', async () => {
    const { out } = await run(['rollout'], { env: { ...env, ROLLOUT_BUDGET: '9' } });
    expect(out).toContain('1, then 5 of 5');
  });

  it('shows counts, budget, time and the resources being rolled out, from one list of the kind', async () => {
    const [first] = await changed();
    ground.cluster.requests.reset();
    const { code, out, err } = await run(['rollout', '--interval', '5m']);
    expect({ code, err }).toEqual({
      code: 0,
      err: expect.stringMatching(/^Cluster http:\S+, context local\n$/),
    });
    const rows = out.split('\n').map((line) => line.split(/ {2,}/));
    expect(rows[0]?.at(-1)).toBe('LEFT');
    // The next resync finds the first done and begins two, and the one after that two more.
    expect(rows[1]).toEqual(['Fleet', 'under way', '0', '1', '0', '4', '1, then 2 of 5', '15m']);
    expect(rows[4]?.slice(0, 2)).toEqual([`Fleet default/${first}`, 'under way']);
    expect(rows[4]?.[3]).toMatch(/^Progressing: Deployment/);
    expect(rows[6]?.[0]).toMatch(
      /^The column LEFT assumes a resync every 5m. If changed resources /,
    );
    const resources = ground.cluster.requests.list().map(({ verb, resource }) => [verb, resource]);
    expect(resources.filter(([, resource]) => resource !== '')).toEqual([
      ['list', 'fleets'],
      ['get', 'customresourcedefinitions'],
    ]);
  });

  it('-o json has the same content, and a namespace limits only the members', async () => {
    const [first] = await changed();
    const want = {
      kind: 'Fleet',
      resource: 'fleets.example.org',
      state: 'underWay',
      resources: 5,
      done: 0,
      underWay: 1,
      failed: 0,
      waiting: 4,
      unable: 0,
      budget: 2,
      slots: 1,
      resyncsLeft: 3,
      secondsLeft: 1800,
    };
    const since = expect.stringMatching(/^20\d\d-/);
    const message = expect.stringContaining('Progressing');
    const member = { namespace: 'default', name: first, state: 'underWay', since, message };
    expect(await shown()).toEqual([{ ...want, members: [member] }]);
    const { out } = await run(['rollout', '-n', 'kube-public', '-o', 'json']);
    expect(JSON.parse(out)).toEqual([{ ...want, members: [] }]);
  });

  it('counts resources that are done, and is complete once all are', async () => {
    for (const done of [1, 3]) {
      await settled();
      await resync();
      expect(await shown()).toMatchObject([{ state: 'underWay', done, underWay: 0 }]);
      await resync();
    }
    await settled();
    await resync();
    expect(await changed()).toEqual(names);
    const { out } = await run(['rollout']);
    expect(out.split('\n')[1]?.split(/ {2,}/)).toEqual([
      'Fleet',
      'none',
      '0',
      '0',
      '0',
      '0',
      '1, then 2 of 5',
    ]);
  });

  it('prints that rollouts are off, and how to turn them on', async () => {
    const off = { env: { ...env, ROLLOUT_BUDGET: 'off' } };
    const says = /^Rollouts are off: .* set ROLLOUT_BUDGET .* 10%\.\n$/;
    const shown = await run(['rollout'], off);
    expect(shown).toEqual({ code: 0, out: expect.stringMatching(says), err: '' });
    const asData = await run(['rollout', '-o', 'json'], off);
    expect(asData).toEqual({ code: 0, out: '[]\n', err: expect.stringMatching(says) });
    const paused = await run(['rollout', 'pause', 'Fleet'], off);
    expect(paused).toMatchObject({ code: 1, out: '' });
    expect(paused.err).toMatch(/Rollouts are off: /);
  });

  it.each([
    [409, /^Fleet could not be read: /m],
    [404, /^Fleet could not be read: .* is not served: install the CRD /m],
  ] as const)('fails if a kind cannot be read: %i', async (code, err) => {
    const effect = { kind: 'status', code } as const;
    ground.cluster.faults.add({ resource: 'fleets', verb: 'list', effect });
    const unread = await run(['rollout']);
    ground.cluster.undisturb();
    expect(unread).toMatchObject({
      code: 1,
      err: expect.stringMatching(err),
    });
  });
});

describe('rollout pause and resume', () => {
  it('begin no new resource while paused, and complete those that have begun', async () => {
    ground.cluster.requests.reset();
    const { code, out, err } = await run(['rollout', 'pause', 'Fleet']);
    expect({ code, out }).toEqual({
      code: 0,
      out: 'CustomResourceDefinition fleets.example.org: serverless-reconciler/rollout=paused\n',
    });
    expect(err).toMatch(
      /^Cluster .*\npausing the rollout of Fleet: 1 resource under way will continue, 4 will wait until the rollout is resumed\n$/,
    );
    expect(writes().map(({ verb, resource }) => `${verb} ${resource}`)).toEqual([
      'patch customresourcedefinitions',
    ]);
    await settled();
    await resync();
    await resync();
    expect(await changed()).toHaveLength(1);
    expect(await shown()).toMatchObject([{ state: 'paused', done: 1, underWay: 0, waiting: 4 }]);
    const plan = await run(['plan', '--exit-code']);
    expect(plan.out).not.toMatch(/^update/m);

    ground.cluster.requests.reset();
    expect((await run(['rollout', 'pause', 'Fleet'])).err).toContain('Fleet is paused already');
    expect(writes()).toEqual([]);

    const resumed = await run(['rollout', 'resume', 'Fleet', '-o', 'json']);
    expect(JSON.parse(resumed.out)).toMatchObject({ value: null, changed: true });
    expect(await annotationOf()).toBeUndefined();
    await resync();
    expect(await changed()).toHaveLength(3);
  });

  it('ignore earlier failures after a resume, and halt at the next one', async () => {
    const [first] = await changed();
    pass();
    const early = await run(['rollout', 'resume', 'Fleet']);
    expect(early).toMatchObject({ code: 1, err: expect.stringContaining('after that resync') });
    await resync();
    expect(await changed()).toEqual([first]);
    expect(await shown()).toMatchObject([
      { state: 'halted', failed: 1, members: [{ name: first, state: 'failed' }] },
    ]);
    const { out } = await run(['rollout']);
    expect(out).toContain('The rollout of Fleet is halted: deploy a version');
    const { code, err } = await run(['rollout', 'resume', 'Fleet']);
    expect(code).toBe(0);
    expect(err).toContain(`no longer counted as failed: default/${first}`);
    expect(await annotationOf()).toMatch(/^20\d\d-/);
    await resync();
    expect(await changed()).toHaveLength(2);
    expect(await shown()).toMatchObject([
      { state: 'underWay', underWay: 1, failed: 1, members: [{ name: first }, {}] },
    ]);
    pass();
    await resync();
    await resync();
    expect(await changed()).toHaveLength(2);
    expect(await shown()).toMatchObject([{ state: 'halted', failed: 2 }]);
  });

  it('print that there is nothing to resume if a rollout is neither paused nor halted', async () => {
    ground.cluster.requests.reset();
    const { code, out, err } = await run(['rollout', 'resume', 'fleets']);
    expect({ code, out }).toEqual({ code: 0, out: 'nothing to write\n' });
    expect(err).toContain('Fleet is neither paused nor halted');
    expect(writes()).toEqual([]);
  });

  it('exit with 2 for an unknown kind', async () => {
    const { code, err } = await run(['rollout', 'pause', 'Fleeet']);
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining('did you mean Fleet?'),
    });
  });
});

describe('rollout first', () => {
  it('moves a resource to the front', async () => {
    const [first] = await changed();
    const last = names.findLast((name) => name !== first)!;
    await settled();
    await resync();
    const { code, err } = await run(['rollout', 'first', 'Fleet', last], {
      env: { ...env, ROLLOUT_BUDGET: '1' },
    });
    expect(code).toBe(0);
    expect(err).toContain(`Fleet default/${last} will be changed first`);
    await resync({ env: { ...env, ROLLOUT_BUDGET: '1' } });
    expect(await changed()).toContain(last);
  });

  it('reports NotFound for an unknown name', async () => {
    const { code, err } = await run(['rollout', 'first', 'Fleet', 'aa']);
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('NotFound') });
  });
});

it('a run reads the CRD of a kind only during a rollout of the kind', async () => {
  const reads = () => sent(({ resource }) => resource === 'customresourcedefinitions');
  expect(reads()).toHaveLength(1);
  while ((await changed()).length < names.length) {
    await settled();
    await resync();
  }
  await settled();
  await resync();
  ground.cluster.requests.reset();
  await resync();
  expect(reads()).toEqual([]);
  expect(sent(({ resource }) => resource === 'fleets')).toHaveLength(1);
});

it('no resource begins while it is unknown whether the rollout is paused', async () => {
  await settled();
  await resync();
  const effect = { kind: 'status', code: 409 } as const;
  ground.cluster.faults.add({ resource: 'customresourcedefinitions', verb: 'get', effect });
  const plan = await run(['plan']);
  const { err } = await resync();
  ground.cluster.undisturb();
  expect(err).toContain('warning: rollout not continued, kind=fleets.example.org');
  expect(await changed()).toHaveLength(1);
  expect(plan).toMatchObject({ code: 0, out: expect.not.stringMatching(/^update/m) });
  await resync();
  expect(await changed()).toHaveLength(3);
});
