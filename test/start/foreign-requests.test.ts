import { startLocalCluster } from '@serverless-reconciler/local-cluster';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startAuditRelay } from '../../infra/start/audit-relay/relay.ts';
import { startFunction } from '../../infra/start/functions/load-function.ts';
import { openDashboardOn } from '../dashboard/ground.ts';
import { casesOf } from '../support/cases.ts';
import { configFile } from '../support/config.ts';

/** A legitimate request to one of the servers. */
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
    // The function returns 4xx, which proves that the request reached it.
    servers.set(target, { url: url.href, method: 'POST', path: '', body: '7' });
  });
  await Promise.all(functions);
});
afterAll(() => Promise.all(ends.map((end) => end())));

const names = ['API server', 'page', 'audit webhook', 'resync', 'audit'];

interface Case {
  readonly reason: string;
  /** Headers, in which `PORT` stands for the port of the server. */
  readonly headers: Readonly<Record<string, string>>;
  readonly passes: boolean;
}

const cases: Readonly<Record<string, Case>> = {
  Program: {
    reason: 'kubectl, curl and the clock send none of these headers',
    headers: {},
    passes: true,
  },
  Localhost: {
    reason: 'localhost is this machine',
    headers: { host: 'localhost:PORT' },
    passes: true,
  },
  Six: {
    reason: 'the IPv6 loopback address is this machine',
    headers: { host: '[::1]:PORT' },
    passes: true,
  },
  OwnPage: {
    reason: 'the request comes from a page of this server',
    headers: {
      host: 'localhost:PORT',
      origin: 'http://localhost:PORT',
      'sec-fetch-site': 'same-origin',
    },
    passes: true,
  },
  Typed: { reason: 'the user typed the URL', headers: { 'sec-fetch-site': 'none' }, passes: true },
  Rebound: {
    reason: 'a foreign DNS name may resolve to this machine',
    headers: { host: 'evil.example:PORT' },
    passes: false,
  },
  OtherPort: {
    reason: 'a proxy or a forwarded port keeps the Host header of its client',
    headers: { host: '127.0.0.1:1' },
    passes: true,
  },
  ForwardedPage: {
    reason: 'our own page may be opened through a forwarded port',
    headers: { host: 'localhost:1', origin: 'http://localhost:1', 'sec-fetch-site': 'same-origin' },
    passes: true,
  },
  Suffix: {
    reason: 'a foreign name may begin like ours',
    headers: { host: '127.0.0.1.evil.example:PORT' },
    passes: false,
  },
  Origin: {
    reason: 'a no-cors POST states its origin',
    headers: { origin: 'https://evil.example' },
    passes: false,
  },
  Null: {
    reason: 'a sandboxed frame or a local file has the origin null',
    headers: { origin: 'null' },
    passes: false,
  },
  Neighbour: {
    reason: 'another server on this machine is another origin',
    headers: { origin: 'http://127.0.0.1:3000' },
    passes: false,
  },
  OtherName: {
    reason: 'localhost and 127.0.0.1 are different origins, as in a browser',
    headers: { host: '127.0.0.1:PORT', origin: 'http://localhost:PORT' },
    passes: false,
  },
  CrossSite: {
    reason: 'a request for an image or a script has fetch metadata, but no Origin',
    headers: { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    passes: false,
  },
  SameSite: {
    reason: 'another server on this machine is the same site, because sites ignore ports',
    headers: { 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' },
    passes: false,
  },
  Frame: {
    reason: 'a page could steer clicks in a frame that it embeds',
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
  const response = await request(new URL(path, url), {
    method,
    headers: { ...type, ...Object.fromEntries(given) },
    body: body ?? null,
  });
  return { code: response.statusCode, text: await response.body.text() };
}

describe.each(names)('the %s', (name) => {
  it.each(casesOf(cases))('%s', async (_, { reason, headers, passes }) => {
    const { code, text } = await ask(name, headers);
    expect(code === 403, `${reason}: ${text}`).toBe(!passes);
    if (!passes) expect(text).toMatch(/: use |: open /);
  });
});

describe('a followed link', () => {
  const followed = {
    'sec-fetch-site': 'cross-site',
    'sec-fetch-mode': 'navigate',
    'sec-fetch-dest': 'document',
  };

  it('opens the page from any site', async () => {
    expect((await ask('page', followed, { path: '/' })).code).toBe(200);
  });

  it('must be a GET; a posted form is refused', async () => {
    expect((await ask('API server', followed)).code).toBe(403);
  });
});

describe.each(['resync', 'audit'])('a POST to the %s function', (name) => {
  it.each([
    { reason: 'a Blob without a type sends none', type: undefined, reached: false },
    { reason: 'a form may send it', type: 'text/plain', reached: false },
    {
      reason: 'curl -d sends it by default',
      type: 'application/x-www-form-urlencoded',
      reached: false,
    },
    {
      reason: 'only its parameter mentions JSON',
      type: 'text/plain; application/json',
      reached: false,
    },
    { reason: 'it is JSON', type: 'application/json; charset=utf-8', reached: true },
    { reason: 'it is a kind of JSON', type: 'application/cloudevents+json', reached: true },
  ])('with type $type: reached $reached, because $reason', async ({ type, reached }) => {
    const { url } = servers.get(name)!;
    const headers = type === undefined ? {} : { 'content-type': type };
    const { statusCode, body } = await request(url, { method: 'POST', headers, body: '7' });
    expect(statusCode, await body.text()).toBe(reached ? 400 : 415);
  });
});
