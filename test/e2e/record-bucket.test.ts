import { execFile } from 'node:child_process';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { type LocalCluster, startLocalCluster } from '@serverless-reconciler/local-cluster';
import { createClient } from '@serverless-reconciler/local-cluster/client';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { FunctionName } from '../../infra/build/bundle.ts';
import { applyTo, install } from '../../infra/generate/install.ts';
import { type LogLine, readLogLine } from '../../infra/log-line.ts';
import { packageRoot } from '../../infra/package-root.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { secret } from '../../shared/kinds/child-types/core.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import type { Report } from '../../shared/resync/report.ts';
import { foo } from '../../systems/foo.ts';
import { buildArtefact, removeArtefact, serveArtefact } from '../build/artefact.ts';
import { openApi } from '../scenarios/api.ts';
import { type Fault, startBucket } from '../support/bucket.ts';
import { kinds } from '../support/config.ts';

const directories: Partial<Record<FunctionName, string>> = {};
beforeAll(async () => {
  directories.resync = await buildArtefact('resync');
  directories.audit = await buildArtefact('audit');
});
afterAll(() => Promise.all(Object.values(directories).map(removeArtefact)));

interface World {
  readonly cluster: LocalCluster;
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Starts an embedded cluster with the samples of every kind, and a function that records. */
async function openWorld(
  target: FunctionName,
  more: Readonly<Record<string, string>>,
): Promise<World> {
  const cluster = await startLocalCluster();
  onTestFinished(() => cluster.stop());
  await install(applyTo(cluster.url), { kinds, user: 'anybody', samples: true });
  const directory = directories[target] ?? '';
  const kubeconfig = join(dirname(directory), `${crypto.randomUUID()}.kubeconfig`);
  await writeFile(kubeconfig, cluster.kubeconfig());
  const env = {
    KUBECONFIG: kubeconfig,
    CLUSTER_CONTEXT: 'local',
    SETTLE_SECONDS: '0',
    AUTH_URL: 'https://auth.example.com/check',
    RECORD_BUCKET: 'records',
    ...more,
  };
  return { cluster, directory, env };
}

function apiOf({ cluster }: World) {
  const client = createClient({ url: cluster.url });
  onTestFinished(() => client.close());
  return openApi(client);
}

/** Runs the command, without a cluster; resolves with its output and exit code. */
async function command(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const main = join(packageRoot, 'infra/app/main.ts');
  const options = { cwd: packageRoot, env: { PATH: process.env.PATH, NO_COLOR: '1', ...env } };
  const run = promisify(execFile)(process.execPath, [main, ...words], options);
  return run.then(
    ({ stdout }) => ({ code: 0, stdout }),
    ({ code, stdout, stderr }) => ({ code, stdout: `${stdout}${stderr}` }),
  );
}

const replay = (file: string) => command(['replay', file]);

const logged = (output: readonly string[], message: string): readonly LogLine[] =>
  output
    .map(readLogLine)
    .filter((line) => line !== undefined)
    .filter((line) => line.message === message);

const nameOf = (target: string): RegExp =>
  new RegExp(
    `^${target}/\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z-[0-9a-f]{8}\\.jsonl\\.gz$`,
  );

test('the resync function records its runs, except those without work', async () => {
  const bucket = await startBucket();
  const world = await openWorld('resync', { STORAGE_EMULATOR_HOST: bucket.host });
  const { post, output } = await serveArtefact(world.directory, {
    target: 'resync',
    env: world.env,
  });
  const { code, body } = await post({});
  expect(code).toBe(200);
  const report = body as Report;
  expect(report).toMatchObject({ failures: [], incomplete: [] });
  expect(report.outcomes.created).toBeGreaterThan(5);
  expect(logged(output, 'run not recorded')).toEqual([]);
  const [[name, content]] = [...bucket.objects] as [[string, Buffer]];
  expect(name).toMatch(nameOf('resync'));

  const text = gunzipSync(content).toString();
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as JsonObject);
  const { version } = JSON.parse(await readFile(join(packageRoot, 'package.json'), 'utf8'));
  expect(lines[0]).toMatchObject({
    line: 'header',
    product: version,
    trigger: 'resync',
    reconcileRequests: [{}],
  });
  expect(lines.at(-1)).toEqual({ line: 'end', lines: lines.length });
  const generated = (await apiOf(world).list(secret)).flatMap(({ data }) =>
    Object.values(data ?? {}),
  );
  expect(generated.length).toBeGreaterThan(0);
  for (const value of generated) expect(text).not.toContain(value);

  const file = join(dirname(world.directory), 'run.jsonl.gz');
  await writeFile(file, content);
  const again = await replay(file);
  expect(again.stdout).toContain('This code makes the same decisions as the recorded code');
  expect(again.stdout).toContain(`by version ${version}:`);
  expect(again.code).toBe(0);

  // Statuses may still be written; after that there is nothing to do.
  let before: number;
  do {
    before = bucket.requests();
    await post({});
  } while (bucket.requests() > before && before < 5);
  expect(bucket.requests()).toBe(before);

  const env = { STORAGE_EMULATOR_HOST: bucket.host };
  const place = ['--recordings', 'gs://records/resync'];
  const history = await command(['history', 'Foo', 'foo-sample', '--offline', ...place], env);
  expect(history.stdout).toMatch(
    /serverless-reconciler \S+, resync +create +Deployment \S+ +\d+ fields\n +→ edit: generation 1 /,
  );
  expect(history.code).toBe(0);
  const bisect = await command(['bisect', 'gs://records'], env);
  expect(bisect).toEqual({
    code: 0,
    stdout: `This code makes the same decisions as the recorded code in ${bucket.objects.size} recordings.\n`,
  });
});

test('the audit function records the run of a delivery', async () => {
  const bucket = await startBucket();
  const world = await openWorld('audit', { STORAGE_EMULATOR_HOST: bucket.host });
  const { post } = await serveArtefact(world.directory, { target: 'audit', env: world.env });
  const request = { kind: foo.kind, namespace: 'default' };
  expect(await post({ version: 1, request })).toMatchObject({ code: 200 });
  const [[name, content]] = [...bucket.objects] as [[string, Buffer]];
  expect(name).toMatch(nameOf('audit'));
  const [header = ''] = gunzipSync(content).toString().split('\n');
  expect(JSON.parse(header)).toMatchObject({ trigger: 'request', reconcileRequests: [request] });
  const file = join(dirname(world.directory), 'delivery.jsonl.gz');
  await writeFile(file, content);
  expect(await replay(file)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('This code makes the same decisions as the recorded code'),
  });
});

const faults: Readonly<Record<string, { fault: Fault; error: RegExp }>> = {
  hangs: { fault: () => undefined, error: /within 5 s|no response/ },
  refuses: {
    fault: (_, response) => response.writeHead(403).end('{}'),
    error:
      /^cannot write to the bucket records: HTTP 403; grant the function's service account roles\/storage\.objectCreator on the bucket$/,
  },
  'does not exist': {
    fault: (_, response) => response.writeHead(404).end('{}'),
    error: /there is no such bucket; create the bucket, or correct RECORD_BUCKET$/,
  },
  'breaks off': {
    fault: (request) => request.once('data', () => request.socket.destroy()),
    error: /^cannot write to the bucket records: no response \(/,
  },
};

test.each(Object.entries(faults))(
  'a bucket that %s does not affect a run',
  async (_, { fault, error }) => {
    const bucket = await startBucket(fault);
    const world = await openWorld('resync', { STORAGE_EMULATOR_HOST: bucket.host });
    const { post, output } = await serveArtefact(world.directory, {
      target: 'resync',
      env: world.env,
    });
    const began = performance.now();
    const { code, body } = await post({});
    const took = performance.now() - began;
    expect(code).toBe(200);
    const report = body as Report;
    expect(report).toMatchObject({ failures: [], incomplete: [], undone: [] });
    expect(report.outcomes.created).toBeGreaterThan(5);
    expect(bucket.requests()).toBeGreaterThan(0);
    const [line, ...more] = logged(output, 'run not recorded');
    expect(line).toMatchObject({
      severity: 'WARNING',
      object: expect.stringMatching(nameOf('resync')),
    });
    expect(line?.error).toMatch(error);
    expect(more).toEqual([]);
    expect(took - report.durationMs).toBeLessThan(8_000);
    expect(await apiOf(world).list(deployment)).not.toEqual([]);
  },
);

test('the recorder is loaded only if a bucket is given, and a missing recorder does not affect a run', async () => {
  const bucket = await startBucket();
  const world = await openWorld('resync', { STORAGE_EMULATOR_HOST: bucket.host });
  const directory = await buildArtefact('resync');
  onTestFinished(() => removeArtefact(directory));
  await rm(join(directory, 'recorder.js'));
  const without = { ...world.env, RECORD_BUCKET: '' };
  const plain = await serveArtefact(directory, { target: 'resync', env: without });
  expect(await plain.post({})).toMatchObject({ code: 200, body: { failures: [] } });
  expect(logged(plain.output, 'run not recorded')).toEqual([]);
  const recording = await serveArtefact(directory, { target: 'resync', env: world.env });
  expect(await recording.post({})).toMatchObject({ code: 200, body: { failures: [] } });
  expect(logged(recording.output, 'run not recorded')).toHaveLength(1);
  expect(bucket.requests()).toBe(0);
});
