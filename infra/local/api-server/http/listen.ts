import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Handling, handle } from './handle.ts';

/** Serves requests on 127.0.0.1; a taken port is an error that names it. */
export const listen = async (handling: Handling, port: number): Promise<Server> => {
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    handle(handling, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) =>
      reject(
        cause.code === 'EADDRINUSE'
          ? new Error(`port ${port} of 127.0.0.1 is taken`, { cause })
          : cause,
      ),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  return server;
};

export const portOf = (server: Server): number => (server.address() as AddressInfo).port;

/** Stops listening and breaks what is still open. */
export const close = (server: Server): Promise<void> =>
  new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
