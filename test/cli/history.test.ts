import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { configMap, deployment, secret } from '../../index.ts';
import { type Shelf, shelfKind } from '../recordings/shelf.ts';
import { startBucket } from '../support/bucket.ts';
import { type CliGround, type How, openCliGround } from './command-runner.ts';

let ground: CliGround;
let directory = '';
let clock = Date.parse('2026-11-26T03:00:00Z');

/** Runs a command a minute after the previous step. */
const run = (argv: readonly string[], how: How = {}) => {
  clock += 60_000;
  return ground.run(argv, { kinds: [shelfKind()], ...how });
};
const record = async (name: string, change: Partial<Shelf> = {}) => {
  const kinds = [shelfKind(change)];
  expect(await run(['resync', '--record', join(directory, name)], { kinds })).toMatchObject({
    code: 0,
  });
};

const newer = { image: 'web:2' };

/**
 * Records a shelf that is created, changed by another writer and repaired, then edited, then changed by new
 * code.
 */
beforeAll(async () => {
  ground = await openCliGround({ kinds: [shelfKind()], clock: () => new Date(clock) });
  directory = join(ground.directory, 'recordings');
  await mkdir(directory);
  const { api } = ground;
  await api.create(shelfKind(), 'one', { spec: {} }, 'jane');
  await api.create(shelfKind(), 'two', { spec: {} });
  await record('create.jsonl');
  await run(['resync']);
  await record('rest.jsonl');
  clock += 60_000;
  await api.patch(deployment, 'one', { spec: { replicas: 5 } }, { manager: 'joe' });
  await api.patch(secret, 'one', { data: { token: 'b3BlbiBzZXNhbWU=' } }, { manager: 'joe' });
  await api.remove(configMap, 'one-a');
  await record('a-repair.jsonl');
  await run(['resync']);
  await record('code.jsonl', newer);
  await api.patch(shelfKind(), 'one', { spec: { size: 2 } }, { manager: 'jane' });
});
afterAll(() => ground.stop());

const offline = { env: { KUBECONFIG: '/nonexistent' } };

/** The rows of a table, with single spaces. */
const rowsOf = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => line.trim().replaceAll(/ {2,}/g, ' | '));

describe('history', () => {
  it('shows from recordings who changed which field, and each decision with its reason, the newest last', async () => {
    const { code, out, err } = await run(
      ['history', 'Shelf', 'one', '--offline', '--recordings', directory],
      offline,
    );
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const us = 'serverless-reconciler 0.1.0, resync';
    const progressing =
      'Reconciling Progressing: Deployment one: the Deployment controller has not observed the latest change yet';
    expect(rowsOf(out)).toEqual([
      'TIME | WHO | ACTION | OBJECT | CHANGE',
      '2026-11-26T03:00:00Z | jane | create | Shelf default/one | holds spec.size',
      ...[
        ['Deployment one', 18],
        ['Service one', 14],
        ['Secret one', 11],
        ['ConfigMap one-a', 11],
        ['ConfigMap one-b', 11],
      ].flatMap(([child, fields]) => [
        `2026-11-26T03:01:00Z | ${us} | create | ${child} | ${fields} fields`,
        '→ edit: generation 1 of the resource',
      ]),
      `2026-11-26T03:01:00Z | ${us} | status | Shelf default/one | ${progressing}`,
      '2026-11-26T03:04:00Z | joe | edit | Deployment one | spec.replicas 2 → 5',
      '2026-11-26T03:04:00Z | joe | edit | Secret one | holds data.token',
      `2026-11-26T03:05:00Z | ${us} | update | Deployment one | spec.replicas 5 → 2, changed by joe, no later than 2026-11-26T03:04:00Z`,
      '→ drift by joe; reduces availability',
      `2026-11-26T03:05:00Z | ${us} | update | Secret one | data.token (secret changed), changed by joe, no later than 2026-11-26T03:04:00Z`,
      '→ drift by joe',
      `2026-11-26T03:05:00Z | ${us} | create | ConfigMap one-a | 11 fields`,
      '→ missing: it was deleted',
      `2026-11-26T03:05:00Z | ${us} | status | Shelf default/one | ${progressing}`,
      `2026-11-26T03:07:00Z | ${us} | hold | Deployment one | → RolloutPending: Deployment one waits for a slot in the rollout, because only the kind's code has changed`,
    ]);
  });

  it('shows from the cluster the contents of managedFields, Events and conditions', async () => {
    const { code, out, err } = await run(['history', 'shelf/one']);
    expect(code).toBe(0);
    expect(err).toMatch(/^Cluster http.*\n$/);
    const rows = rowsOf(out);
    expect(rows).toContain(
      '2026-11-26T03:05:00Z | serverless-reconciler | event | Shelf default/one | Repaired: Deployment one: spec.replicas 5 → 2, changed by joe',
    );
    expect(rows).toContain(
      '2026-11-26T03:07:00Z | jane | edit | Shelf default/one | holds spec.size',
    );
    expect(out).toMatch(/serverless-reconciler +apply +Secret one +holds data.token; /);
    expect(out).toMatch(
      /serverless-reconciler +status +Shelf default\/one +Ready False Progressing: /,
    );
  });

  it('shows each change once from both, with values from the recordings', async () => {
    const { code, out } = await run([
      'history',
      'Shelf',
      'one',
      '--recordings',
      directory,
      '-o',
      'json',
    ]);
    expect(code).toBe(0);
    const { entries, recordings } = JSON.parse(out);
    expect(
      recordings.map(({ file, hasDecisions }: Record<string, unknown>) => [file, hasDecisions]),
    ).toEqual([
      [join(directory, 'create.jsonl'), true],
      [join(directory, 'rest.jsonl'), false],
      [join(directory, 'a-repair.jsonl'), true],
      [join(directory, 'code.jsonl'), true],
    ]);
    expect(entries.findLast(({ who }: Record<string, unknown>) => who === 'jane')).toEqual({
      time: '2026-11-26T03:07:00Z',
      who: 'jane',
      verb: 'edit',
      object: { kind: 'Shelf', namespace: 'default', name: 'one' },
      differences: [{ path: 'spec.size', from: 1, to: 2 }],
      from: 'managedFields',
    });
    const about = (verb: string, name: string) =>
      entries.filter(
        (one: { verb: string; object: { name: string } }) =>
          one.verb === verb && one.object.name === name,
      );
    // The decision replaces the apply in managedFields and the Event of the repair.
    expect(about('apply', 'one')).toEqual([]);
    expect(about('event', 'one')).toEqual([]);
    expect(about('create', 'one-a')).toHaveLength(2);
  });

  it('shows no value of a Secret', async () => {
    const { out } = await run(['history', 'Shelf', 'one', '--recordings', directory, '-o', 'json']);
    for (const value of ['b25l', 'b3BlbiBzZXNhbWU=', 'masked:']) expect(out).not.toContain(value);
    const reads = ground.cluster.requests.list().filter(({ resource }) => resource === 'secrets');
    expect(reads.at(-1)?.path).toContain('/secrets/one');
  });

  it('names recordings that cannot be read, shows the others, and exits with 1', async () => {
    const bad = join(ground.directory, 'bad.jsonl');
    await writeFile(bad, 'nonsense\n');
    const { code, out, err } = await run(
      ['history', 'Shelf', 'one', '--offline', '--recordings', bad, join(directory, 'rest.jsonl')],
      offline,
    );
    expect(code).toBe(1);
    expect(err).toMatch(/bad.jsonl, line 1: not a recording/);
    expect(out).toMatch(/jane +create +Shelf default\/one/);
  });

  it.each<[string, (text: string) => string, RegExp]>([
    [
      'cut off',
      (text) => text.slice(0, 2_000),
      /^.*x.jsonl, line 2: the recording is damaged: .*\n$/,
    ],
    ['without a header', () => 'nonsense', /^.*x.jsonl, line 1: not a recording: .*\n$/],
    [
      'with an impact of another form',
      (text) => text.replaceAll(/"impact":\[[^\]]*\]/g, '"impact":"close"'),
      /^.*x.jsonl, line \d+: the recording is damaged: \/resource\/actions\/\d+\/impact must be array; .*\n$/,
    ],
    [
      'with a status of another form',
      (text) => text.replaceAll('"status":{"state":', '"status":{"said":'),
      /line \d+: the recording is damaged: \/resource\/status must have required properties state; /,
    ],
    [
      'with a writer of another form',
      (text) => text.replaceAll('"writer":{"manager":"joe"', '"writer":{"manager":7'),
      /line \d+: the recording is damaged: \/resource\/actions\/\d+\/differences\/\d+\/writer\/manager must be string; /,
    ],
  ])('reports only the error if the only recording is %s', async (_, damage, says) => {
    const file = join(ground.directory, 'x.jsonl');
    await writeFile(file, damage(await readFile(join(directory, 'a-repair.jsonl'), 'utf8')));
    const words = ['history', 'Shelf', 'one', '--offline', '--recordings', file];
    const { code, err } = await run(words, offline);
    expect(code).toBe(1);
    expect(err).toMatch(says);
  });

  it('omits entries of managedFields without a valid manager', async () => {
    const file = join(ground.directory, 'manager.jsonl');
    const text = await readFile(join(directory, 'rest.jsonl'), 'utf8');
    await writeFile(file, text.replaceAll('"manager":"jane"', '"manager":{"name":"jane"}'));
    const words = ['history', 'Shelf', 'one', '--offline', '--recordings', file];
    const { code, out } = await run(words, offline);
    expect(code).toBe(0);
    expect(out).toMatch(/unknown +create +Shelf default\/one/);
  });

  it('refuses a recording of another cluster', async () => {
    const file = join(ground.directory, 'other.jsonl');
    const text = await readFile(join(directory, 'a-repair.jsonl'), 'utf8');
    const { metadata } = await ground.api.get(shelfKind(), 'one');
    await writeFile(file, text.replaceAll(metadata.uid, '0e5c3f00-0000-4000-8000-000000000000'));
    const words = ['history', 'Shelf', 'one', '--recordings', join(directory, 'rest.jsonl'), file];
    const both = await run([...words, '--offline'], offline);
    expect(both.code).toBe(1);
    expect(both.err).toMatch(
      /other.jsonl and \S+rest.jsonl show two objects called Shelf default\/one at the same time, so they are from two clusters: /,
    );
    expect(both.out).not.toContain('drift by joe');
    const live = await run(['history', 'Shelf', 'one', '--recordings', file]);
    expect(live.code).toBe(1);
    expect(live.err).toMatch(
      /the cluster and \S+other.jsonl show two objects called Shelf default\/one at the same time, /,
    );
  });

  it('reads a recording once that is in several places', async () => {
    const places = [
      directory,
      join(directory, 'a-repair.jsonl'),
      `${directory}/../recordings/rest.jsonl`,
    ];
    const words = ['history', 'Shelf', 'one', '--offline', '-o', 'json', '--recordings'];
    const { out } = await run([...words, ...places], offline);
    expect(out).toBe((await run([...words, directory], offline)).out);
    const { recordings } = JSON.parse(
      (await run(['bisect', ...places, '-o', 'json'], offline)).out,
    );
    expect(recordings).toBe(4);
  });

  it('reads the newest recordings only, up to --last', async () => {
    const { code, out, err } = await run(
      ['history', 'Shelf', 'one', '--offline', '--last', '1', '--recordings', directory],
      offline,
    );
    expect(code).toBe(0);
    expect(err).toBe('Only the newest 1 of 4 recordings were read: --last 4 reads all.\n');
    expect(out).not.toContain('drift by joe');
    expect(out).toContain('RolloutPending: ');
  });

  it.each([
    [
      ['Shelf', 'none'],
      1,
      /none of the 4 recordings from 2026\S+ to 2026\S+ contains Shelf default\/none: /,
    ],
    [['Shelf'], 2, /name one resource: KIND NAME or KIND\/NAME/],
    [['Shelf', 'one', '--last', '0'], 2, /It must be a whole number of at least 1/],
  ])('refuses %j', async (words, exitCode, says) => {
    const { code, err } = await run(
      ['history', ...words, '--offline', '--recordings', directory],
      offline,
    );
    expect(code).toBe(exitCode);
    expect(err).toMatch(says);
  });

  it('refuses recordings of several clusters, and reads those of one from a bucket', async () => {
    const content = await readFile(join(directory, 'a-repair.jsonl'));
    const objects = new Map([
      ['resync/eu/2026-11-26T03:05:00.000Z-1.jsonl', content],
      ['resync/us/2026-11-26T03:05:00.000Z-2.jsonl', content],
    ]);
    const { host } = await startBucket(undefined, objects);
    const env = { ...offline.env, STORAGE_EMULATOR_HOST: host };
    const from = (place: string) =>
      run(['history', 'Shelf', 'one', '--offline', '--recordings', place], { env });
    const all = await from('gs://records');
    expect(all.code).toBe(2);
    expect(all.err).toMatch(/recordings of 2 clusters \(eu, us\): name the directories of one/);
    const one = await from('gs://records/resync/eu');
    expect(one.code).toBe(0);
    expect(one.out).toContain('drift by joe');
  });

  it('reports that the resource does not exist in the cluster', async () => {
    const { code, err } = await run(['history', 'Shelf', 'oen']);
    expect(code).toBe(1);
    expect(err).toMatch(/there is no Shelf default\/oen; did you mean one\?/);
  });
});

describe('why', () => {
  const whyAt = (at: string) =>
    run(['why', 'Shelf', 'one', '--at', at, '--recordings', directory], offline);

  it.each([
    ['03:05', 'a-repair.jsonl', /Deployment one +.*\n +→ drift by joe/],
    [
      '2026-11-26T04:05:00+01:00',
      'a-repair.jsonl',
      /ConfigMap one-a +.*\n +→ missing: it was deleted/,
    ],
    ['2026-11-26 03:06:59', 'a-repair.jsonl', /Secret one +data.token \(secret changed\)/],
    ['03:07:00', 'code.jsonl', /hold +Deployment one +→ RolloutPending: /],
    ['03:04', 'rest.jsonl', /\nNothing to do for Shelf default\/one\.\n/],
  ])('explains the last recorded run at %s', async (at, name, says) => {
    const { code, out, err } = await whyAt(at);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(
      new RegExp(
        `^Decided at 2026-11-26T03:0\\d:00Z by version 0.1.0 \\(resync\\), recorded in .*/${name}:\n`,
      ),
    );
    expect(out).toMatch(says);
  });

  it('shows only changes before the run', async () => {
    const { out } = await whyAt('03:05');
    const [, before = ''] = out.split('\nBefore:\n');
    expect(rowsOf(before).at(-1)).toBe(
      '2026-11-26T03:04:00Z | joe | edit | Secret one | holds data.token',
    );
    expect(out).not.toContain('web:2');
  });

  it('explains from the cluster what the next run would do', async () => {
    const { code, out } = await run(['why', 'Shelf', 'one']);
    expect(code).toBe(0);
    expect(out).toMatch(/^A run of this code would decide now:\n/);
    expect(out).toMatch(/status +Shelf default\/one +Reconciling Progressing: /);
    expect(out).toMatch(/\nBefore:\n[\s\S]*jane +edit +Shelf default\/one +holds spec.size\n/);
    const how = { kinds: [shelfKind({ replicas: 3 })] };
    const edited = await run(['why', 'Shelf', 'one'], how);
    expect(edited.out).toMatch(/update +Deployment one .*2 → 3\n +→ edit: generation 2 /);
    const other = await run(['why', 'Shelf', 'two'], how);
    expect(other.out).toMatch(/→ code: the kind's code or a setting has changed/);
  });

  it('does not print that there is nothing to do if the resources cannot be listed', async () => {
    const effect = { kind: 'status', code: 404 } as const;
    ground.cluster.faults.add({ resource: 'shelves', verb: 'list', effect });
    onTestFinished(() => ground.cluster.undisturb());
    const { code, out, err } = await run(['why', 'Shelf', 'one']);
    expect({ code, out }).toEqual({
      code: 1,
      out: expect.stringMatching(/\n\nUnknown for Shelf default\/one\.\n/),
    });
    expect(err).toContain('is not served: install the CRD');
  });

  it('prints the decision as JSON', async () => {
    const { out } = await run(
      ['why', 'Shelf', 'one', '--at', '03:05', '--recordings', directory, '-o', 'json'],
      offline,
    );
    const { decided, entries } = JSON.parse(out);
    expect(decided).toMatchObject({ kind: 'Shelf', name: 'one', state: 'planned' });
    expect(
      entries.map(({ verb, why, result }: Record<string, string>) => [verb, why, result]),
    ).toEqual([
      ['update', 'drift by joe', 'sent'],
      ['update', 'drift by joe', 'sent'],
      ['create', 'missing: it was deleted', 'sent'],
      ['status', expect.stringMatching(/^Reconciling Progressing: /), undefined],
    ]);
  });

  it.each([
    [
      ['--at', '02:30', '--recordings'],
      1,
      /all recordings are later than --at: the oldest is from 2026-11-26T03:01:00/,
    ],
    [['--at', 'noon', '--recordings'], 2, /--at: "noon" is not a time; write it as 03:12/],
    [['--at', '03:05', '--offline'], 2, /unknown option/],
  ])('refuses %j', async (words, exitCode, says) => {
    const { code, err } = await run(['why', 'Shelf', 'one', ...words, directory], offline);
    expect(code).toBe(exitCode);
    expect(err).toMatch(says);
  });

  it('needs recordings for a time', async () => {
    const { code, err } = await run(['why', 'Shelf', 'one', '--at', '03:05']);
    expect(code).toBe(2);
    expect(err).toMatch(/--at needs --recordings/);
  });
});

describe('bisect', () => {
  it('finds the earliest recording about which this code decides differently, and shows the difference', async () => {
    const kinds = [shelfKind({ replicas: 3 })];
    const { code, out } = await run(['bisect', directory], { ...offline, kinds });
    expect(code).toBe(3);
    expect(out).toMatch(
      /^First recording with different decisions: .*\/create.jsonl, made at 2026-11-26T03:01:00.000Z by version .* \(replayed 1 of 4 recordings\)/,
    );
    expect(out).toContain(
      'This code decides differently from the recorded code for 2 of 2 resources.\n',
    );
  });

  it('finds a difference that later recordings no longer show', async () => {
    const places = ['rest.jsonl', 'a-repair.jsonl', 'code.jsonl'].map((one) =>
      join(directory, one),
    );
    const { code, out } = await run(['bisect', ...places, '-o', 'json'], {
      ...offline,
      kinds: [shelfKind(newer)],
    });
    expect(code).toBe(3);
    const { first, recordings } = JSON.parse(out);
    expect(recordings).toBe(3);
    expect(first.file).toBe(join(directory, 'rest.jsonl'));
    expect(
      (await run(['replay', places[2] ?? ''], { ...offline, kinds: [shelfKind(newer)] })).code,
    ).toBe(0);
  });

  it('reports that the same code makes the same decisions for all recordings', async () => {
    const places = ['create.jsonl', 'rest.jsonl', 'a-repair.jsonl'].map((one) =>
      join(directory, one),
    );
    const { code, out } = await run(['bisect', ...places], offline);
    expect(code).toBe(0);
    expect(out).toBe('This code makes the same decisions as the recorded code in 3 recordings.\n');
  });

  it('exits with 1 if a recording before the first difference cannot be replayed', async () => {
    const mixed = join(ground.directory, 'mixed');
    await mkdir(mixed);
    await copyFile(join(directory, 'code.jsonl'), join(mixed, 'code.jsonl'));
    await writeFile(join(mixed, 'bad.jsonl'), 'nonsense\n');
    const { code, out, err } = await run(['bisect', mixed], offline);
    expect(code).toBe(1);
    expect(err).toMatch(/bad.jsonl, line 1: not a recording/);
    expect(out).toMatch(
      /^First recording with different decisions: .*code.jsonl, .* \(replayed 1 of 1 recording\)/,
    );
  });

  it('refuses a directory without recordings', async () => {
    const { code, err } = await run(['bisect', '/nonexistent'], offline);
    expect(code).toBe(2);
    expect(err).toMatch(/there is no such file or directory/);
  });
});

describe('a resource that is only observed', () => {
  const observed = () => join(ground.directory, 'observed.jsonl');
  beforeAll(async () => {
    const { api } = ground;
    const annotations = { 'serverless-reconciler/observe': 'true' };
    await run(['resync']);
    await api.patch(shelfKind(), 'two', { metadata: { annotations } });
    await run(['resync']);
    await api.patch(deployment, 'two', { spec: { replicas: 7 } }, { manager: 'joe' });
    await run(['resync', '--record', observed()]);
  });

  it('is explained by its differences and their writers', async () => {
    const { out } = await run(['why', 'Shelf', 'two', '--recordings', observed()], offline);
    expect(out).toMatch(/hold +Deployment two +spec.replicas 7 → 2, changed by joe/);
    expect(out).toMatch(/→ ObservedOnly: Deployment two differs from the desired state; /);
  });

  it('has a history with the drift in its status', async () => {
    const { out } = await run(['history', 'Shelf', 'two']);
    expect(out).toMatch(
      /Drifted True Drifted: Deployment two: spec.replicas 7 → 2, changed by joe/,
    );
  });
});

it('history shows a resource that was deleted and created again', async () => {
  const { api } = ground;
  await api.remove(shelfKind(), 'two');
  await api.create(shelfKind(), 'two', { spec: {} }, 'jane');
  const again = join(ground.directory, 'again.jsonl');
  await run(['resync', '--record', again]);
  const words = ['history', 'Shelf', 'two', '--offline', '--recordings', directory, again];
  const { code, out, err } = await run(words, offline);
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(rowsOf(out).filter((row) => / create +\| Shelf default\/two /.test(row))).toHaveLength(2);
});
