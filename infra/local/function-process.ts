import type { AddressInfo } from 'node:net';
import { getTestServer } from '@google-cloud/functions-framework/testing';

/**
 * One function in a process of its own, under the functions framework's own server, on loopback:
 * the framework's command would listen on every interface.
 */
const [target = '', port = '', code = ''] = process.argv.slice(2);

await import(code);
const server = getTestServer(target);
server.on('error', (error: NodeJS.ErrnoException) => {
  process.send?.({ error: error.code ?? error.message });
});
server.listen(Number(port), '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});

// The parent is gone: nobody is left to stop this process.
process.on('disconnect', () => process.exit());
