import { createServer } from 'node:http';
import { request } from 'undici';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startLocalCluster } from '../../../infra/local/cluster.ts';
import { requireFreePorts } from '../../../infra/local/free-ports.ts';
import { applyTo, install } from '../../../infra/local/install.ts';
import { type Page, startPage } from '../../../infra/local/page/page.ts';

type Cluster = Awaited<ReturnType<typeof startLocalCluster>>;

let cluster: Cluster;
let page: Page;
let port: number;
beforeAll(async () => {
  cluster = await startLocalCluster();
  await install(applyTo(cluster.url), { user: 'somebody', samples: true });
  port = await freePort();
  page = await startPage({ port, api: cluster.url, lines: () => ['a line\n'] });
});
afterAll(async () => {
  await page.stop();
  await cluster.stop();
});

it('shows a browser the resources, not yet ready, and what was said', async () => {
  const html = await fetch(`http://127.0.0.1:${port}/`);
  expect(html.headers.get('content-type')).toContain('text/html');
  const state = await (await fetch(`http://127.0.0.1:${port}/state`)).json();
  const row = { namespace: 'default', ready: 'Unknown', message: '', children: [] };
  expect(state).toEqual({
    resources: [
      { kind: 'Website', name: 'website-sample', ...row },
      { kind: 'Application', name: 'application1', ...row },
      { kind: 'ContainerApp', name: 'containerapp-sample', ...row },
      { kind: 'Database', name: 'my-database', ...row },
      { kind: 'Database', name: 'test-db', ...row },
      { kind: 'Foo', name: 'foo-sample', ...row },
    ],
    lines: ['a line\n'],
  });
});

it('answers no other host name, and no other path', async () => {
  const at = `http://127.0.0.1:${port}/state`;
  const foreign = await request(at, { headers: { host: 'evil.example.com' } });
  expect([foreign.statusCode, await foreign.body.text()]).toEqual([403, 'only for this machine']);
  expect((await fetch(`http://127.0.0.1:${port}/nothing`)).status).toBe(404);
});

it('a taken port is told before anything starts, with the option that changes it', async () => {
  await expect(requireFreePorts({ '--page-port': port })).rejects.toThrow(
    `port ${port} is taken: stop what listens there, or choose another with --page-port`,
  );
  await requireFreePorts({ '--page-port': await freePort() });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
