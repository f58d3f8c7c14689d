import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { requireFreePorts } from '../../infra/start/free-ports.ts';
import { freePort } from '../support/processes.ts';

it('a port in use is reported with the option that changes it, before anything starts', async () => {
  const port = await listen();
  await expect(requireFreePorts({ '--page-port': port })).rejects.toThrow(
    `port ${port} is in use: stop the process that uses it, or choose another with --page-port`,
  );
  await requireFreePorts({ '--page-port': await freePort() });
});

it('all ports in use are reported at once', async () => {
  const ports = await Promise.all([listen(), listen(), listen()]);
  const [api, resync, page] = ports;
  const given = {
    '--api-port': api ?? 0,
    '--resync-port': resync ?? 0,
    '--audit-port': await freePort(),
    '--page-port': page ?? 0,
  };
  await expect(requireFreePorts(given)).rejects.toThrow(
    `ports ${api}, ${resync} and ${page} are in use, perhaps by another npm start: stop the processes that use them, or choose others with --api-port, --resync-port and --page-port`,
  );
});

async function listen(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
