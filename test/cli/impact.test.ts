import { copyFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { configMap, deployment } from '../../index.ts';
import type { Policies } from '../../shared/config/define-config.ts';
import { type Shelf, shelf, shelfKind } from '../recordings/shelf.ts';
import { startBucket } from '../support/bucket.ts';
import { type CliGround, openCliGround } from './command-runner.ts';

let ground: CliGround;
let recorded = '';
let fleet = '';

/** Records three shelves that are up to date, and a run that repairs one. */
beforeAll(async () => {
  ground = await openCliGround({ kinds: [shelfKind()] });
  const { api, directory } = ground;
  recorded = join(directory, 'recorded.jsonl');
  for (const name of ['one', 'two', 'three']) await api.create(shelfKind(), name, { spec: {} });
  const kinds = [shelfKind()];
  for (const _ of [1, 2]) await ground.run(['resync'], { kinds });
  await ground.run(['resync', '--record', recorded], { kinds });
  await api.remove(configMap, 'one-a');
  await ground.run(['resync', '--record', join(directory, 'repair.jsonl')], { kinds });
  await api.patch(deployment, 'two', { spec: { replicas: 5 } });
  await ground.run(['resync', '--record', join(directory, 'drift.jsonl')], { kinds });
});
afterAll(() => ground.stop());

beforeEach(async () => {
  fleet = join(ground.directory, 'fleet');
  await rm(fleet, { recursive: true, force: true });
  await mkdir(join(fleet, 'resync', 'eu'), { recursive: true });
  await mkdir(join(fleet, 'audit', 'eu'), { recursive: true });
  await copyFile(recorded, join(fleet, 'us.jsonl'));
  await copyFile(recorded, join(fleet, 'resync', 'eu', '2026-11-23T03:12:04.117Z-1.jsonl'));
});

interface How {
  readonly change?: Partial<Shelf>;
  readonly policies?: Policies;
  readonly more?: readonly string[];
}

const impact = ({ change = {}, policies = {}, more = [] }: How = {}) =>
  ground.run(['impact', fleet, ...more], {
    kinds: [shelfKind(change)],
    policies,
    env: { KUBECONFIG: '/nonexistent' },
  });

const another = { image: 'web:2' };

describe('impact', () => {
  it('prints the changes of the code in all clusters, and the time of its rollout', async () => {
    const { code, out } = await impact({ change: another });
    expect(code).toBe(0);
    expect(out).toMatch(
      /^Restarts 6 of 6 Deployments in 2 of 2 clusters, puts no data at risk, recreates nothing, opens no path, deletes nothing\.\n/,
    );
    expect(out).toMatch(
      /update +6 Deployments in 2 clusters +.*image "web:1" → "web:2" .*Deployment one of Shelf default\/one in eu/,
    );
    expect(out).toContain('→ restarts pods\n');
    expect(out).toContain(
      'The rollout takes 3 resyncs in the slowest cluster, eu (3 of 3 resources of Shelf, first one, then 1 at a time): about 30m with a resync every 10m.',
    );
    expect(out).toMatch(
      /newest recordings of 2 clusters with 6 resources, made between 20.* and 20/,
    );
  });

  it('prints that a change of code without effect changes nothing', async () => {
    const { code, out } = await impact();
    expect(code).toBe(0);
    expect(out).toMatch(/^Changes no child.\n\nNo resource has to wait in a rollout.\n/);
  });

  it('names kinds that the recorded run could not read among what it could not judge', async () => {
    const effect = { kind: 'status', code: 500 } as const;
    ground.cluster.faults.add({ verb: 'list', resource: 'shelves', effect });
    const kinds = [shelfKind()];
    await ground.run(['resync', '--record', join(fleet, 'us.jsonl')], { kinds });
    ground.cluster.faults.clear();
    const { out } = await impact({ change: another });
    expect(out).toMatch(/^not judged: us: shelves\.example\.org: .*cannot list shelves/m);
  });

  it('names deletions that PRUNE_LIMIT withholds among what it could not judge', async () => {
    const { out } = await ground.run(['impact', fleet], {
      kinds: [shelfKind({ maps: ['a'] })],
      env: { KUBECONFIG: '/nonexistent', PRUNE_LIMIT: '2' },
    });
    expect(out).toMatch(
      /^not judged: eu, us: ConfigMap objects whose deletion is withheld \(3 of 3 resources .*PRUNE_LIMIT.*\): 3$/m,
    );
  });

  it('uses the newest recording of a cluster, and none of audit events', async () => {
    const repair = join(ground.directory, 'repair.jsonl');
    await copyFile(repair, join(fleet, 'resync', 'eu', '2026-11-24T00:00:00.000Z-2.jsonl'));
    await writeFile(join(fleet, 'audit', 'eu', '2026-11-25T00:00:00.000Z-3.jsonl'), 'not read');
    const { code, out } = await impact({ more: ['-o', 'json'] });
    expect(code).toBe(0);
    const { clusters } = JSON.parse(out);
    expect(clusters.map(({ cluster, file }: Record<string, string>) => [cluster, file])).toEqual([
      ['eu', join(fleet, 'resync/eu/2026-11-24T00:00:00.000Z-2.jsonl')],
      ['us', join(fleet, 'us.jsonl')],
    ]);
    expect(clusters[0].unjudged).toEqual(['ConfigMap objects created by the recorded run: 1']);
  });

  it.each([
    { policies: { recreate: 0, restart: '50%' }, code: 1, broken: ['restart'] },
    { policies: { restart: 6, 'data-loss': 0 }, code: 0, broken: [] },
    { policies: { restart: 5, unknown: 0 }, code: 1, broken: ['restart'] },
  ])('names each broken policy of $policies', async ({ policies, code, broken }) => {
    const output = await impact({ change: another, policies });
    expect(output.code).toBe(code);
    const found = [...output.out.matchAll(/^policy broken: (\S+):/gm)].map(([, name]) => name);
    expect(found).toEqual(broken);
  });

  it('uses a policy from the command line instead of that in the configuration', async () => {
    const how = { change: another, policies: { restart: '100%' } };
    expect((await impact(how)).code).toBe(0);
    const { code, out } = await impact({ ...how, more: ['--policy', 'restart=0', 'delete=0'] });
    expect(code).toBe(1);
    expect(out).toContain('policy broken: restart: 0 allowed, 6 resources affected\n');
    expect(out).toContain('policy kept: delete: 0 allowed, 0 resources affected\n');
  });

  it.each([
    ['restart', /--policy restart: expected an impact and its maximum, such as restart=5%/],
    ['reboot=0', /policies.reboot: not an impact; choose from data-loss, /],
    ['restart=few', /policies.restart: "few" is neither a number of resources/],
  ])('refuses the policy %s', async (policy, says) => {
    const { code, err } = await impact({ more: ['--policy', policy] });
    expect(code).toBe(2);
    expect(err).toMatch(says);
  });

  it('writes a comment in which text from a cluster is escaped', async () => {
    const { out } = await impact({
      change: { image: 'web:2|`<img>`@all' },
      policies: { restart: 0, recreate: 0 },
      more: ['-o', 'markdown'],
    });
    const lines = out.split('\n');
    expect(lines[0]).toBe('<!-- serverless-reconciler impact -->');
    expect(out).toContain('**Policy broken**: restart: 0 allowed, 6 resources affected\n');
    expect(out).toContain('Kept: recreate: 0 allowed, 0 resources affected.\n');
    expect(out).toContain('web:2\\|`<img>`@all"``');
  });

  it('uses the newest recording of a cluster in a bucket, and none of audit events', async () => {
    const objects = new Map([
      ['resync/eu/2026-11-23T03:12:04.117Z-1.jsonl', Buffer.from('not read')],
      ['resync/eu/2026-11-24T03:12:04.117Z-2.jsonl.gz', gzipSync(await readFile(recorded))],
      ['resync/us/2026-11-22T03:12:04.117Z-3.jsonl', await readFile(recorded)],
      ['audit/eu/2026-11-25T03:12:04.117Z-4.jsonl', Buffer.from('not read')],
    ]);
    const { host } = await startBucket(undefined, objects);
    const { code, out } = await ground.run(['impact', 'gs://records', '-o', 'json'], {
      kinds: [shelfKind(another)],
      env: { STORAGE_EMULATOR_HOST: host },
    });
    expect(code).toBe(0);
    const { clusters, effects } = JSON.parse(out);
    expect(clusters.map(({ cluster, file }: Record<string, string>) => [cluster, file])).toEqual([
      ['eu', 'gs://records/resync/eu/2026-11-24T03:12:04.117Z-2.jsonl.gz'],
      ['us', 'gs://records/resync/us/2026-11-22T03:12:04.117Z-3.jsonl'],
    ]);
    expect(effects).toEqual([{ effect: 'restart', kind: 'Deployment', children: 6, clusters: 2 }]);
  });

  it('refuses a directory with recordings of audit events only', async () => {
    await writeFile(join(fleet, 'audit', 'eu', '2026-11-25T00:00:00.000Z-3.jsonl'), 'not read');
    await rm(join(fleet, 'us.jsonl'));
    await rm(join(fleet, 'resync'), { recursive: true });
    const { code, err } = await impact();
    expect(code).toBe(2);
    expect(err).toMatch(/has only recordings of audit events/);
  });

  it('judges the other clusters if a recording is damaged, and exits with 1', async () => {
    await writeFile(join(fleet, 'asia.jsonl'), '{}\n');
    const { code, out } = await impact({ change: another });
    expect(code).toBe(1);
    expect(out).toContain('Restarts 6 of 6 Deployments in 2 of 2 clusters');
    expect(out).toMatch(/not judged: asia: .*asia.jsonl, line 1: not a recording/);
  });

  it('names the children that no run has read yet', async () => {
    const { out } = await impact({ change: { maps: [...shelf.maps, 'c'] } });
    expect(out).toContain('Creates 6 ConfigMaps in 2 of 2 clusters');
    expect(out).toContain(
      'not judged: eu, us: ConfigMap objects not in the recording, assumed to be absent: 3\n',
    );
  });

  it('says which children had drifted, because their repair is no effect of the code', async () => {
    await copyFile(join(ground.directory, 'drift.jsonl'), join(fleet, 'us.jsonl'));
    expect((await impact()).out).toMatch(/^Changes no child/);
    const { out } = await impact({ change: another });
    expect(out).toContain(
      'not judged: us: Deployment objects whose change also repairs drift: 1\n',
    );
  });

  it.each([
    [
      'a directory without recordings',
      'audit',
      /has no recordings \(\*\.jsonl, \*\.jsonl\.gz\): write one with resync --record/,
    ],
    [
      'a directory that does not exist',
      'none',
      /none cannot be read: there is no such file or directory/,
    ],
  ])('refuses %s', async (_, name, says) => {
    const { code, err } = await ground.run(['impact', join(fleet, name)]);
    expect(code).toBe(2);
    expect(err).toMatch(says);
  });
});
