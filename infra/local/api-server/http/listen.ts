import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { type Handling, handle } from './handle.ts';

/** The real server accepts a request line and headers of one MiB. */
const maxHeaderSize = 1024 * 1024;

/** Serves requests on 127.0.0.1; if the port is in use, throws an error that names it. */
export async function listen(handling: Handling, port: number): Promise<Server> {
  const serveInTurn = inTurn((request, response) => handle(handling, request, response));
  const options = { keepAliveTimeout: 60_000, maxHeaderSize: maxHeaderSize };
  const server = createServer(options, (request, response) => {
    serveInTurn(request, response).catch(() => response.destroy());
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
}

type Serve = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

/**
 * Executes the requests of one connection in order, each after the previous answer is complete, because a
 * client that pipelines requests relies on their order.
 */
function inTurn(serve: Serve): Serve {
  const answered = new WeakMap<Socket, Promise<void>>();
  return async (request, response) => {
    const before = answered.get(request.socket);
    const { promise, resolve } = Promise.withResolvers<void>();
    response.once('close', resolve);
    answered.set(request.socket, promise);
    await before;
    await serve(request, response);
  };
}

export function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

/** Stops listening and closes open connections. */
export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
