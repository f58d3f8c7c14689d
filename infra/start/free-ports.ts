import { once } from 'node:events';
import { createServer } from 'node:net';
import { StartError } from './start-error.ts';

/** Throws a StartError for the first port that something else listens on; option → port. */
export async function requireFreePorts(ports: Readonly<Record<string, number>>): Promise<void> {
  for (const [option, port] of Object.entries(ports)) {
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const why =
        code === 'EADDRINUSE'
          ? 'is in use: stop what listens there, or'
          : `cannot be used (${message}):`;
      throw new StartError(`port ${port} ${why} choose another with ${option}`);
    }
    server.close();
    await once(server, 'close');
  }
}
