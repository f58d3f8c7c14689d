import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { FunctionName } from '../../infra/build/bundle.ts';
import { auditEvent } from '../audit/samples.ts';
import { buildArtefact, removeArtefact, serveArtefact } from '../build/artefact.ts';
import {
  type ApiReply,
  type ApiRequest,
  metadata,
  startApiEndpoint,
} from '../support/api-endpoint.ts';

const limit = 1024 * 1024;

/** Flags that Terraform sets for 512Mi. */
const flags = '--enable-source-maps --max-semi-space-size=8 --max-old-space-size=384';

/** Prints the longest turn of the event loop so far, in ms of the thread's CPU time. */
const probe = `
  let longest = 0;
  let before = process.threadCpuUsage();
  setInterval(() => {
    const now = process.threadCpuUsage();
    const ms = (now.user + now.system - before.user - before.system) / 1000;
    before = now;
    if (ms > longest + 1) process.stdout.write('longest turn ' + (longest = ms) + '\\n');
  }, 1);
`;

interface Attack {
  readonly body: Buffer | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Status code of the audit function, which acknowledges some bodies that the resync function refuses. */
  readonly code: number;
}

/** Builds a JSON list of as many items as fit. */
function listOf(item: (at: number) => string, size = limit, frame = ['{"a":[', ']}']): string {
  const [before = '', after = ''] = frame;
  const items: string[] = [];
  let room = size - before.length - after.length;
  for (let at = 0; ; at++) {
    const one = item(at);
    room -= one.length + 1;
    if (room < 0) return before + items.join() + after;
    items.push(one);
  }
}

const deepList = (size: number): string =>
  `{"kind":${'['.repeat(size / 2 - 5)}${']'.repeat(size / 2 - 5)}}`;
const pushed = (content: string): string =>
  JSON.stringify({ message: { data: Buffer.from(content).toString('base64'), messageId: '1' } });
const events = (event: (at: number) => object): string =>
  listOf((at) => JSON.stringify(event(at)), limit, [
    '{"apiVersion":"audit.k8s.io/v1","kind":"EventList","items":[',
    ']}',
  ]);
const inner = Math.floor((limit - 100) * 0.75);
const written = (verb: string, namespace: string, name: string) => {
  const objectRef = {
    resource: 'deployments',
    namespace,
    name,
    apiGroup: 'apps',
    apiVersion: 'v1',
  };
  return auditEvent({ verb, objectRef });
};

const bomb = gzipSync(Buffer.alloc(20_000_000, ' ')).toString('base64');
const objects = gzipSync(listOf(() => '{}', 2 * limit)).toString('base64');

const attacks: Readonly<Record<string, Attack>> = {
  'a gzip bomb': {
    body: gzipSync(`{"a":[${'{},'.repeat(8_000_000)}{}]}`),
    headers: { 'content-encoding': 'gzip' },
    code: 400,
  },
  'a gzip bomb in an envelope': {
    body: JSON.stringify({ awslogs: { data: bomb } }),
    code: 200,
  },
  'many gzip bombs': {
    body: JSON.stringify({ records: Array(20).fill({ data: bomb }) }),
    code: 200,
  },
  'objects, plain and compressed': {
    body: listOf(() => '{}', limit, [`{"awslogs":{"data":"${objects}"},"a":[`, ']}']),
    code: 200,
  },
  'many envelopes': { body: listOf(() => '{"log":"{}"}', limit, ['[', ']']), code: 200 },
  'envelopes within envelopes': {
    body: `${'{"records":['.repeat(limit / 15)}${']}'.repeat(limit / 15)}`,
    code: 200,
  },
  'lines of objects': { body: '{}\n'.repeat(limit / 3), code: 200 },
  'lines of something else': { body: 'x\n'.repeat(limit / 2), code: 200 },
  'events that name no type of ours': {
    body: listOf(
      (at) =>
        `{"specversion":"1.0","type":"dev.knative.apiserver.ref.add","data":{"kind":"K${at}"}}`,
      limit,
      ['[', ']'],
    ),
    code: 200,
  },
  '8 MB of objects': { body: listOf(() => '{}', 7_900_000), code: 413 },
  'endless chunks': {
    body: Buffer.alloc(5_000_000, '{},'),
    headers: { 'transfer-encoding': 'chunked' },
    code: 413,
  },
  'empty objects': { body: listOf(() => '{}'), code: 200 },
  'nested lists': { body: deepList(limit), code: 200 },
  'nested lists in a message': { body: pushed(deepList(inner)), code: 200 },
  'a request of nested lists': {
    body: pushed(`{"version":1,"request":${deepList(inner - 50)}}`),
    code: 200,
  },
  'objects with different keys': { body: listOf((at) => `{"k${at}":0}`), code: 200 },
  'an object with many keys': { body: listOf((at) => `"k${at}":0`, limit, ['{', '}']), code: 200 },
  'a request with many keys': {
    body: listOf((at) => `"k${at}":0`, limit, ['{"version":1,"request":{', '}}']),
    code: 200,
  },
  'one key repeated': { body: listOf(() => '"a":0', limit, ['{', '}']), code: 200 },
  'one string': { body: `{"a":"${'\\u0000'.repeat(limit / 6 - 4)}"}`, code: 200 },
  'invalid events': {
    body: listOf(() => '0', limit, [
      '{"apiVersion":"audit.k8s.io/v1","kind":"EventList","items":[',
      ']}',
    ]),
    code: 200,
  },
  'events of different subresources': {
    body: events((at) => auditEvent({ objectRef: { subresource: `s${at}` } })),
    code: 200,
  },
  'deletions of different names': {
    body: events((at) => written('delete', 'default', `x-${at}`)),
    code: 200,
  },
  'deletions in different namespaces': {
    body: events((at) => written('delete', `ns-${at}`, 'x')),
    code: 200,
  },
  'no JSON': { body: 'x'.repeat(limit), code: 400 },
};

const nothing = () => ({ body: { metadata: {}, items: [] } });

/** Serves a function as the platform does, on a cluster with these replies; by default it is empty. */
async function serve(
  directory: string,
  target: FunctionName,
  { reply = nothing, ...more }: Situation = {},
) {
  const api = await startApiEndpoint(reply);
  const kubeconfig = join(dirname(directory), 'kubeconfig');
  const clusters = [{ name: 'c', cluster: { server: api.url } }];
  const contexts = [{ name: 'c', context: { cluster: 'c', user: 'u' } }];
  const users = [{ name: 'u', user: {} }];
  const config = { apiVersion: 'v1', kind: 'Config', clusters, contexts, users };
  await writeFile(kubeconfig, JSON.stringify(config));
  const preload = `data:text/javascript,${encodeURIComponent(probe)}`;
  const env = {
    KUBECONFIG: kubeconfig,
    CLUSTER_CONTEXT: 'c',
    SETTLE_SECONDS: '0',
    NODE_OPTIONS: `${flags} --import=${preload}`,
    ...more.env,
  };
  const serving = await serveArtefact(directory, { target, env });
  const { socketPath, output } = serving;
  const send = async ({ body, headers = {} }: Omit<Attack, 'code'>): Promise<number> => {
    const sent = request({
      socketPath,
      method: 'POST',
      path: '/',
      headers: { 'content-type': 'application/json', ...headers },
    });
    sent.on('error', () => undefined);
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    await text(response);
    return response.statusCode ?? 0;
  };
  const longest = (): number =>
    Math.max(0, ...output.map((line) => Number(/^longest turn (.*)/.exec(line)?.[1] ?? 0)));
  return { ...serving, api, send, longest };
}

interface Situation {
  readonly reply?: (request: ApiRequest) => ApiReply;
  readonly env?: Readonly<Record<string, string>>;
}

/** Data of Secrets: one long value, which is kept as a digest, or many short values, which are kept. */
const largeData = [
  { key: 'x'.repeat(1_300_000) },
  Object.fromEntries(Array.from({ length: 1_300 }, (_, at) => [`key-${at}`, 'x'.repeat(1_000)])),
].map((data) => JSON.stringify(data));

/** Serves 160 Secrets of 1.3 MB each, in pages as an API server does. */
function largeSecrets(metadataOf: (at: number) => object): Situation['reply'] {
  return ({ path, query }) => {
    if (!path.endsWith('/secrets')) return nothing();
    const from = Number(query.continue ?? 0);
    const to = Math.min(160, from + Number(query.limit));
    const one = (at: number) => {
      const metadata = JSON.stringify({
        name: `s${at}`,
        namespace: `n${at % 3}`,
        uid: `u${at}`,
        resourceVersion: '1',
        ...metadataOf(at),
      });
      return `{"metadata":${metadata},"data":${largeData[at % 2]}}`;
    };
    // Send no more items than the function will read.
    const items = Array.from({ length: Math.min(8, to - from) }, (_, at) => one(from + at));
    const more = to < 160 ? { continue: String(to) } : {};
    return { body: `{"metadata":${JSON.stringify(more)},"items":[${items}]}` };
  };
}

const controlled = (uid: string) => ({
  ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: 'x', uid, controller: true }],
  managedFields: ['serverless-reconciler', 'kubectl'].map((manager) => ({
    manager,
    operation: 'Apply',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:data': {} },
  })),
});

const largeLists: Readonly<Record<string, (at: number) => object>> = {
  'without a controller': () => ({}),
  'of different resources': (at) => controlled(`o${at}`),
  'of one resource': () => controlled('o'),
  'of a resource whose uid has a megabyte': () => controlled('u'.repeat(1_000_000)),
};

const functions = {
  audit: { normal: '{"version":1,"request":{}}', acknowledges: 200 },
  resync: { normal: '{}', acknowledges: 400 },
};

describe.each(['audit', 'resync'] as const)('the deployed %s function', (target) => {
  let directory = '';
  beforeAll(async () => {
    directory = await buildArtefact(target);
  }, 60_000);
  afterAll(() => removeArtefact(directory));

  it('survives any body, and serves the next request', { timeout: 400_000 }, async () => {
    const { normal, acknowledges } = functions[target];
    const { send, longest, peakMiB, api } = await serve(directory, target);
    expect(await send({ body: normal })).toBe(200);
    for (const [name, { code, ...attack }] of Object.entries(attacks)) {
      const requests = api.requests.length;
      const before = longest();
      expect(await send(attack), name).toBe(code === 200 ? acknowledges : code);
      expect(longest() === before ? 0 : longest(), name).toBeLessThan(250);
      expect(api.requests.length - requests, name).toBeLessThan(50);
      expect(await send({ body: normal }), `a normal request after ${name}`).toBe(200);
    }
    const all = Object.values(attacks);
    const codes = await Promise.all([...all, ...all, ...all].map(send));
    for (const code of codes) expect([200, 400, 413, 415, 503]).toContain(code);
    expect(await send({ body: normal })).toBe(200);
    // Allows for garbage collections and several arriving bodies in one turn of the event loop.
    expect(longest()).toBeLessThan(500);
    expect((await peakMiB()) || 0).toBeLessThan(512);
    console.log(
      `longest turn ${longest().toFixed(0)} ms, peak ${(await peakMiB()).toFixed(0)} MiB`,
    );
  });

  it('survives any body for several clusters', { timeout: 400_000 }, async () => {
    const names = ['eu', 'us', 'asia', 'one', 'two', 'three', 'four', 'five'];
    const CLUSTERS = JSON.stringify(names.map((name) => ({ name, context: 'c' })));
    const env = { CLUSTERS, CLUSTER_CONTEXT: '' };
    const { send, peakMiB, longest } = await serve(directory, target, { env });
    expect(await send({ body: functions[target].normal })).toBe(200);
    const all = Object.values(attacks);
    const codes = await Promise.all([...all, ...all, ...all].map(send));
    for (const code of codes) expect([200, 400, 413, 415, 503]).toContain(code);
    expect(await send({ body: functions[target].normal })).toBe(200);
    expect((await peakMiB()) || 0).toBeLessThan(512);
    console.log(
      `longest turn ${longest().toFixed(0)} ms, peak ${(await peakMiB()).toFixed(0)} MiB`,
    );
  });

  it.each(Object.entries(largeLists))(
    'survives 160 Secrets of 1.3 MB each %s',
    { timeout: 400_000 },
    async (_, metadataOf) => {
      const reply = largeSecrets(metadataOf);
      const { send, peakMiB } = await serve(directory, target, { reply: reply! });
      const { normal } = functions[target];
      expect(await send({ body: normal })).toBe(200);
      expect((await peakMiB()) || 0).toBeLessThan(512);
      console.log(`peak ${(await peakMiB()).toFixed(0)} MiB`);
    },
  );
});

/** Serves ten new Vaults in ten namespaces, and accepts every write. */
function vaults(count: number): Situation['reply'] {
  const all = Array.from({ length: 10 }, (_, at) => ({
    apiVersion: 'example.org/v1',
    kind: 'Vault',
    metadata: metadata(`v${at}`, { namespace: `n${at}`, generation: 1 }),
    spec: { count },
  }));
  return ({ method, path, body }) => {
    if (method === 'PATCH' || method === 'POST') {
      const manifest = body as { readonly metadata: object };
      return { body: { ...manifest, metadata: { ...metadata('x'), ...manifest.metadata } } };
    }
    const one = all.find(({ metadata: { name } }) => path.endsWith(`/vaults/${name}`));
    if (one !== undefined) return { body: one };
    return path.endsWith('/vaults') ? { body: { metadata: {}, items: all } } : nothing();
  };
}

describe('the deployed resync function, for resources whose children are large', () => {
  let directory = '';
  beforeAll(async () => {
    directory = await buildArtefact('resync', join(import.meta.dirname, 'large.config.ts'));
  }, 60_000);
  afterAll(() => removeArtefact(directory));

  const written = async (count: number) => {
    const { send, peakMiB, api } = await serve(directory, 'resync', { reply: vaults(count)! });
    expect(await send({ body: '{}' })).toBe(200);
    expect(await send({ body: '{}' })).toBe(200);
    expect((await peakMiB()) || 0).toBeLessThan(512);
    console.log(`peak ${(await peakMiB()).toFixed(0)} MiB`);
    const patches = api.requests.filter(({ method }) => method === 'PATCH');
    const statuses = patches.filter(({ path }) => path.endsWith('/status'));
    return {
      secrets: patches.length - statuses.length,
      statuses: JSON.stringify(statuses.map(({ body }) => body)),
    };
  };

  it('writes 30 MB of children for each of ten resources', { timeout: 400_000 }, async () => {
    expect((await written(30)).secrets).toBeGreaterThanOrEqual(2 * 10 * 30);
  });

  it('refuses 60 MB of children for each of ten resources, and survives', {
    timeout: 400_000,
  }, async () => {
    const { secrets, statuses } = await written(60);
    expect(secrets).toBe(0);
    expect(statuses).toContain('the desired children take more than 32 MiB of memory');
  });
});
