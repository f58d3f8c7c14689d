import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { FunctionName } from '../../infra/build/bundle.ts';
import type { Built } from './built-function.ts';
import { type Serving, serve } from './built-function.ts';
import type { ApiProxy } from './counting-proxy.ts';
import { countWrites, type Recording, writesOf } from './exchange.ts';
import type { Sample } from './figures.ts';
import { startMetered, type Usage } from './metered.ts';

/** One request to a function. */
export interface Call {
  readonly target: FunctionName;
  readonly body: object;
  /** Default: 0. */
  readonly settleSeconds?: number;
  /** Default: the function's own deadline. */
  readonly deadlineSeconds?: number;
  /** Default: 1. */
  readonly instances?: number;
  /** Includes the cost of starting the processes. */
  readonly withStart?: boolean;
  /** Makes the same call once beforehand, unmeasured. */
  readonly again?: boolean;
}

export const resyncCall: Call = { target: 'resync', body: {} };

/**
 * Measures one call, sent to several new processes of the function at the same time, from the request to
 * the last response. CPU time and memory are summed over the processes. `onBegin` is called just before.
 *
 * Errors: throws if a response reports a failure or an incomplete list.
 */
export async function measureFunction(
  proxy: ApiProxy,
  built: Built,
  call: Call,
  onBegin: () => void = () => undefined,
): Promise<Required<Sample>> {
  const { target, body, settleSeconds = 0, deadlineSeconds, instances = 1 } = call;
  const env = {
    ...proxy.environment,
    SETTLE_SECONDS: `${settleSeconds}`,
    DEADLINE_SECONDS: `${deadlineSeconds ?? ''}`,
    LOG_LEVEL: 'ERROR',
  };
  const start = (): Promise<Serving> => serve(built, target, env);
  const serving = await Promise.all(Array.from({ length: instances }, start));
  try {
    if (call.again) for (const { post } of serving) assertDone(built, await post(body));
    onBegin();
    proxy.takeTraffic();
    const usages = await Promise.all(
      serving.map(({ measure, post }) =>
        measure(async () => assertDone(built, await post(body)), call.withStart),
      ),
    );
    return { ...usages.reduce(sumOf), traffic: proxy.takeTraffic() };
  } finally {
    await Promise.all(serving.map(({ stop }) => stop()));
  }
}

/** Adds the usage of processes that ran in parallel: their wall time is the longest one. */
export const sumOf = (a: Usage, b: Usage): Usage => ({
  cpuSeconds: a.cpuSeconds + b.cpuSeconds,
  wallSeconds: Math.max(a.wallSeconds, b.wallSeconds),
  peakMiB: a.peakMiB + b.peakMiB,
  retainedMiB: a.retainedMiB + b.retainedMiB,
});

function assertDone({ name }: Built, response: unknown): void {
  const { failures = [], incomplete = [] } = response as Record<string, readonly unknown[]>;
  if (failures.length + incomplete.length > 0)
    throw new Error(`${name} failed: ${JSON.stringify({ failures, incomplete }).slice(0, 500)}`);
}

/**
 * Measures a call against recorded responses; `before` handles the unmeasured call of `again`.
 *
 * Errors: throws unless as many writes are sent as were recorded. Reads are not compared, because a run
 * reads more often if the API server is slow.
 */
export async function measureReplayed(
  { proxy, built, call }: { readonly proxy: ApiProxy; readonly built: Built; readonly call: Call },
  recording: Recording,
  before = recording,
): Promise<Sample> {
  proxy.replay(before);
  const sample = await measureFunction(proxy, built, call, () => proxy.replay(recording));
  const [sent, recorded] = [writesOf(sample.traffic), countWrites(recording)];
  if (sent !== recorded)
    throw new Error(`${built.name} sent ${sent} writes, but ${recorded} when it was recorded`);
  return sample;
}

/** Measures a client that only sends the recorded requests and parses the responses. */
export async function measureBareClient(
  proxy: ApiProxy,
  recording: Recording,
  again = false,
): Promise<Sample> {
  proxy.replay(recording);
  const [program, requests] = ['bare.mjs', 'json'].map((end) =>
    join(tmpdir(), `bench-${crypto.randomUUID()}.${end}`),
  ) as [string, string];
  await build({
    entryPoints: [join(import.meta.dirname, 'bare-client.ts')],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
  });
  const sent = recording.sent.map((one) => ({ ...one, body: one.body.toString() }));
  await writeFile(requests, JSON.stringify(sent));
  const client = startMetered({ file: program, args: [proxy.url, proxy.ca, requests] });
  try {
    await client.message();
    const sendAll = async (): Promise<void> => {
      client.child.send('begin');
      await client.message();
    };
    if (again) await sendAll();
    proxy.takeTraffic();
    const usage = await client.measure(sendAll);
    return { ...usage, traffic: proxy.takeTraffic() };
  } finally {
    await client.stop();
    await Promise.all([rm(program), rm(requests)]);
  }
}

/** Measures a new process up to its first response, without any reconciling. */
export async function measureStart(built: Built, target: FunctionName | 'empty'): Promise<Sample> {
  const env = { CLUSTER_ENDPOINT: '127.0.0.1:1', SETTLE_SECONDS: '0' };
  const began = performance.now();
  const serving = await serve(built, target, env);
  const wallSeconds = (performance.now() - began) / 1000;
  try {
    return { ...(await serving.spent()), wallSeconds };
  } finally {
    await serving.stop();
  }
}
