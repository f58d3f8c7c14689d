import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { requireFreePorts } from '../../infra/start/free-ports.ts';
import { freePort } from '../support/processes.ts';

it('a port in use is reported before anything starts, with the option that changes it', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await expect(requireFreePorts({ '--page-port': port })).rejects.toThrow(
    `port ${port} is in use: stop what listens there, or choose another with --page-port`,
  );
  await requireFreePorts({ '--page-port': await freePort() });
});
