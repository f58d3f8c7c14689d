import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { LogLine } from '../../infra/log-line.ts';
import type { Bucket } from '../../shared/config/config.ts';
import { openUpload } from '../../shared/google/platform.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { openBucketRecorder } from '../../shared/recording/bucket-recorder.ts';
import type { Run } from '../../shared/run/run.ts';
import { startApiEndpoint } from '../support/api-endpoint.ts';
import { startBucket } from '../support/bucket.ts';
import { parseConfig, config as reconciler } from '../support/config.ts';
import { logInto } from '../support/log.ts';
import { reconcilerAgainst } from '../support/reconciler.ts';
import { foo } from '../support/resources.ts';

const foos = Array.from({ length: 20 }, (_, at) =>
  foo({ metadata: { name: `foo-${at}`, uid: `uid-${at}` } }),
);

/** Records a run of a cluster with some resources, and keeps the log. */
async function world(
  {
    upload,
    ...over
  }: Parameters<typeof openBucketRecorder>[1] & { readonly upload?: Bucket['upload'] } = {},
  slow: (kind: Kind) => Kind = (kind) => kind,
) {
  const api = await startApiEndpoint(({ path }) => ({
    body: { metadata: {}, items: path.endsWith('/foos') ? foos : [] },
  }));
  const bucket = await startBucket();
  const { reconciler: own } = reconcilerAgainst(api.url);
  const { kinds, concurrency, pruneLimit, rollout } = parseConfig({
    CLUSTER_CONTEXT: 'test',
  });
  const logged: LogLine[] = [];
  const log = logInto(logged, 'DEBUG');
  const toBucket = openUpload({ name: 'records', emulator: bucket.host });
  const record = openBucketRecorder({ name: 'records', upload: upload ?? toBucket }, over);
  const environment = { KINDS: ' Foo ' };
  const { settings } = reconciler;
  const deployment = { product: '1', server: 'v1', kinds, settings, environment };
  return {
    bucket,
    logged,
    begin: () => own.begin('resync'),
    record: (run: Run, cluster?: string) =>
      record(
        { ...run, clients: { ...run.clients, log } },
        {
          requests: [{}],
          cluster,
          deployment,
          options: {
            area: { kinds: kinds.map(slow), namespaces: undefined },
            concurrency,
            pruneLimit,
            rollout,
          },
        },
      ),
  };
}

/** Runs, reads the resources, and fails. */
async function failedRun({ begin, record }: Awaited<ReturnType<typeof world>>, cluster?: string) {
  const recording = record(await begin(), cluster);
  if (recording === undefined) return;
  const { kinds } = parseConfig({ CLUSTER_CONTEXT: 'test' });
  for (const kind of kinds) await recording.run.cluster.list(kind, {}, () => undefined);
  await recording.keep(undefined);
}

test('a failed run is recorded, under the name of its cluster, with its settings', async () => {
  const here = await world();
  await failedRun(here, 'project/location/main');
  const [[name, content]] = [...here.bucket.objects] as [[string, Buffer]];
  expect(name).toMatch(/^resync\/project\/location\/main\/2.*Z-[0-9a-f]{8}\.jsonl\.gz$/);
  const lines = gunzipSync(content).toString().trimEnd().split('\n');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ settings: { KINDS: 'Foo' } });
  expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ line: 'end', lines: lines.length });
  expect(here.logged).toEqual([expect.objectContaining({ message: 'run recorded', object: name })]);
});

test('a recording ends at the size limit, which its last line and the log report', async () => {
  const limit = 1024;
  const here = await world({ limit });
  await failedRun(here);
  const [[name, content]] = [...here.bucket.objects] as [[string, Buffer]];
  const lines = gunzipSync(content).toString().trimEnd().split('\n');
  expect(JSON.parse(lines.at(-1) ?? '')).toEqual({ line: 'truncated', limit });
  expect(lines.slice(1, -1).join('\n').length).toBeLessThanOrEqual(limit);
  expect(here.logged).toEqual([
    expect.objectContaining({
      severity: 'WARNING',
      message: 'recording incomplete',
      object: name,
    }),
  ]);
});

test('a fifth concurrent run is not recorded, but a later one is', async () => {
  const here = await world();
  const run = await here.begin();
  const four = [1, 2, 3, 4].map(() => here.record(run));
  expect(here.record(run)).toBeUndefined();
  expect(here.logged).toEqual([
    expect.objectContaining({
      message: 'run not recorded',
      error: '4 other runs are being recorded',
    }),
  ]);
  for (const one of four) await one?.keep(undefined);
  expect(here.record(run)).toBeDefined();
});

test('a run waits for an upload only up to the timeout', async () => {
  const upload: Bucket['upload'] = () => new Promise(() => undefined);
  const here = await world({ upload, timeoutMs: 200 });
  await failedRun(here);
  expect(here.logged).toEqual([
    expect.objectContaining({
      severity: 'WARNING',
      message: 'run not recorded',
      error: 'the recording did not reach records within 0.2 s',
    }),
  ]);
});

test('kinds that take long to plan are not planned beyond the timeout', async () => {
  let planned = 0;
  const slow = (kind: Kind): Kind => ({
    ...kind,
    desired(resource, find) {
      planned++;
      const until = Date.now() + 20;
      while (Date.now() < until);
      return kind.desired(resource, find);
    },
  });
  const here = await world({ timeoutMs: 50 }, slow);
  await failedRun(here);
  expect(here.logged).toEqual([expect.objectContaining({ message: 'run not recorded' })]);
  expect(here.bucket.requests()).toBe(0);
  expect(planned).toBeGreaterThan(0);
  expect(planned).toBeLessThanOrEqual(2 * foos.length);
});
