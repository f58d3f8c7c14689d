import { startLocalCluster } from '@serverless-reconciler/local-cluster';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAuditRelay } from '../../infra/start/audit-relay/relay.ts';
import { startFunction } from '../../infra/start/functions/load-function.ts';
import { openDashboardOn } from '../dashboard/ground.ts';
import { configFile } from '../support/config.ts';

/** What one server answers to a request that is its own business. */
interface Server {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: string;
}

const servers = new Map<string, Server>();
const ends: (() => Promise<void>)[] = [];

beforeAll(async () => {
  const cluster = await startLocalCluster();
  ends.push(cluster.stop);
  const configMap = JSON.stringify({ metadata: { generateName: 'x-' } });
  const configMaps = '/api/v1/namespaces/default/configmaps';
  servers.set('API server', {
    url: cluster.url,
    method: 'POST',
    path: configMaps,
    body: configMap,
  });
  const page = await openDashboardOn(cluster);
  ends.push(page.stop);
  servers.set('page', { url: page.url, method: 'GET', path: '/page.js' });
  const relay = await startAuditRelay({
    push: new URL(cluster.url),
    kinds: [],
    ownIdentity: ['nobody'],
    log: () => undefined,
  });
  ends.push(relay.stop);
  const events = JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'EventList', items: [] });
  servers.set('audit webhook', { url: relay.url, method: 'POST', path: '', body: events });
  const functions = (['resync', 'audit'] as const).map(async (target) => {
    const { url, stop } = await startFunction({
      target,
      port: 0,
      source: { config: configFile },
      env: { PATH: process.env.PATH, CLUSTER_CONTEXT: 'any', DRY_RUN: 'true' },
      onLine: () => undefined,
      onExit: () => undefined,
    });
    ends.push(stop);
    // Answered 4xx by the function itself, which is enough to know that it was reached.
    servers.set(target, { url: url.href, method: 'POST', path: '', body: '[]' });
  });
  await Promise.all(functions);
});
afterAll(() => Promise.all(ends.map((end) => end())));

const names = ['API server', 'page', 'audit webhook', 'resync', 'audit'];

interface Case {
  readonly reason: string;
  /** `PORT` stands for that of the server. */
  readonly headers: Readonly<Record<string, string>>;
  readonly passes: boolean;
}

const cases: Readonly<Record<string, Case>> = {
  Program: { reason: 'kubectl, curl and the clock send neither', headers: {}, passes: true },
  Localhost: {
    reason: 'a name of this machine',
    headers: { host: 'localhost:PORT' },
    passes: true,
  },
  Six: { reason: 'the same in IPv6', headers: { host: '[::1]:PORT' }, passes: true },
  OwnPage: {
    reason: 'a page that this server serves',
    headers: {
      host: 'localhost:PORT',
      origin: 'http://localhost:PORT',
      'sec-fetch-site': 'same-origin',
    },
    passes: true,
  },
  Typed: { reason: 'an address typed in', headers: { 'sec-fetch-site': 'none' }, passes: true },
  Rebound: {
    reason: 'a foreign DNS name that resolves to this machine',
    headers: { host: 'evil.example:PORT' },
    passes: false,
  },
  OtherPort: {
    reason: 'a proxy or a forwarded port in front keeps what its client sent',
    headers: { host: '127.0.0.1:1' },
    passes: true,
  },
  ForwardedPage: {
    reason: 'our own page, through a forwarded port',
    headers: { host: 'localhost:1', origin: 'http://localhost:1', 'sec-fetch-site': 'same-origin' },
    passes: true,
  },
  Suffix: {
    reason: 'a foreign name that begins like ours',
    headers: { host: '127.0.0.1.evil.example:PORT' },
    passes: false,
  },
  Origin: {
    reason: 'a no-cors POST says where it comes from',
    headers: { origin: 'https://evil.example' },
    passes: false,
  },
  Null: { reason: 'a sandboxed frame, or a file', headers: { origin: 'null' }, passes: false },
  Neighbour: {
    reason: 'a page of another server on this machine is another origin',
    headers: { origin: 'http://127.0.0.1:3000' },
    passes: false,
  },
  OtherName: {
    reason: 'an origin is compared as a browser does',
    headers: { host: '127.0.0.1:PORT', origin: 'http://localhost:PORT' },
    passes: false,
  },
  CrossSite: {
    reason: 'an image or a script: no Origin, but metadata',
    headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    passes: false,
  },
  SameSite: {
    reason: 'sites have no ports: the page of another server here',
    headers: { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' },
    passes: false,
  },
  Frame: {
    reason: 'a page can steer clicks in a frame it embeds',
    headers: {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'iframe',
    },
    passes: false,
  },
};

async function ask(name: string, headers: Case['headers'], over: Partial<Server> = {}) {
  const { url, method, path, body } = { ...servers.get(name)!, ...over };
  const { port } = new URL(url);
  const given = Object.entries(headers).map(([key, text]) => [key, text.replace('PORT', port)]);
  const type = method === 'POST' ? { 'content-type': 'application/json' } : {};
  const answer = await request(new URL(path, url), {
    method,
    headers: { ...type, ...Object.fromEntries(given) },
    body: body ?? null,
  });
  return { code: answer.statusCode, text: await answer.body.text() };
}

describe.each(names)('the %s', (name) => {
  it.each(Object.entries(cases))('%s', async (_, { reason, headers, passes }) => {
    const { code, text } = await ask(name, headers);
    expect(code === 403, `${reason}: ${text}`).toBe(!passes);
    if (!passes) expect(text).toMatch(/: use |: open /);
  });
});

describe('a link that is followed', () => {
  const followed = {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
  };

  it('opens the page, whatever site it is on', async () => {
    expect((await ask('page', followed, { path: '/' })).code).toBe(200);
  });

  it('is a GET; a posted form is refused', async () => {
    expect((await ask('API server', followed)).code).toBe(403);
  });
});

describe.each(['resync', 'audit'])('a POST to the %s function', (name) => {
  it.each([
    { reason: 'a Blob without a type', type: undefined, reached: false },
    { reason: 'what a form sends', type: 'text/plain', reached: false },
    {
      reason: 'curl -d without a header',
      type: 'application/x-www-form-urlencoded',
      reached: false,
    },
    { reason: 'not JSON but for its name', type: 'text/plain; application/json', reached: false },
    { reason: 'JSON', type: 'application/json; charset=utf-8', reached: true },
    { reason: 'JSON by another name', type: 'application/cloudevents+json', reached: true },
  ])('as $type: reached $reached, because it is $reason', async ({ type, reached }) => {
    const { url } = servers.get(name)!;
    const headers = type === undefined ? {} : { 'content-type': type };
    const { statusCode, body } = await request(url, { method: 'POST', headers, body: '[]' });
    expect(statusCode, await body.text()).toBe(reached ? 400 : 415);
  });
});
