import { createHash } from 'node:crypto';
import { startLocalCluster } from '@serverless-reconciler/local-cluster';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { requireFreePorts } from '../../infra/start/free-ports.ts';
import { applyTo, install } from '../../infra/start/install.ts';
import { type StatusPage, startPage } from '../../infra/start/page/page.ts';
import { kinds } from '../support/config.ts';
import { freePort } from '../support/processes.ts';

type Cluster = Awaited<ReturnType<typeof startLocalCluster>>;

let cluster: Cluster;
let page: StatusPage;
let port: number;
beforeAll(async () => {
  cluster = await startLocalCluster();
  await install(applyTo(cluster.url), { kinds, user: 'jane', samples: true });
  port = await freePort();
  page = await startPage({ port, api: cluster.url, kinds: () => kinds, lines: () => ['a line\n'] });
});
afterAll(async () => {
  await page.stop();
  await cluster.stop();
});

it('the page shows the resources, not yet ready, and the latest lines', async () => {
  const html = await fetch(`http://127.0.0.1:${port}/`);
  expect(html.headers.get('content-type')).toContain('text/html');
  const state = await (await fetch(`http://127.0.0.1:${port}/state`)).json();
  const row = { namespace: 'default', ready: 'Unknown', message: '', children: [] };
  expect(state).toEqual({
    resources: kinds.flatMap(({ kind, samples }) =>
      samples.map(({ name }) => ({ kind, name, ...row })),
    ),
    lines: ['a line\n'],
  });
});

it('the page answers no other path', async () => {
  expect((await fetch(`http://127.0.0.1:${port}/nothing`)).status).toBe(404);
});

it('the page runs only its own script and style, and cannot be framed', async () => {
  const { headers, text } = await get('');
  const policy = headers.get('content-security-policy') ?? '';
  const digest = (inline: string): string => createHash('sha256').update(inline).digest('base64');
  for (const [element, directive] of [
    ['script', 'script-src'],
    ['style', 'style-src'],
  ] as const) {
    const inline = text.split(`<${element}>`)[1]?.split(`</${element}>`)[0] ?? '';
    expect(policy).toContain(`${directive} 'sha256-${digest(inline)}';`);
    expect(text.split(`<${element}`), 'one block, without attributes').toHaveLength(2);
  }
  expect(text, 'what no hash covers').not.toMatch(/\s(on[a-z]+|style)=/);
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(policy).not.toContain('unsafe');
});

it.each(['', 'state', 'nothing'])('lets no browser sniff the type of /%s', async (path) => {
  expect(Object.fromEntries((await get(path)).headers)).toMatchObject({
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  });
});

async function get(path: string) {
  const response = await fetch(`http://127.0.0.1:${port}/${path}`);
  return { headers: response.headers, text: await response.text() };
}

it('a port in use is reported before anything starts, with the option that changes it', async () => {
  await expect(requireFreePorts({ '--page-port': port })).rejects.toThrow(
    `port ${port} is in use: stop what listens there, or choose another with --page-port`,
  );
  await requireFreePorts({ '--page-port': await freePort() });
});
