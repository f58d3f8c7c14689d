import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { foreignOrNotJson, guarded } from './api-server/http/foreign-request.ts';

/**
 * One function in a process of its own, under the functions framework's own server, on loopback:
 * the framework's command would listen on every interface.
 *
 * Guarantees: only programs of this machine are answered. Deployed functions have no such check: IAM
 * decides there, and their Host is the platform's.
 */
const [target = '', port = '', code = ''] = process.argv.slice(2);

await import(code);
const server = getTestServer(target);
for (const serve of server.listeners('request')) {
  server.off('request', serve as RequestListener);
  server.on('request', guarded(foreignOrNotJson, serve as RequestListener));
}
server.on('error', (error: NodeJS.ErrnoException) => {
  process.send?.({ error: error.code ?? error.message });
});
server.listen(Number(port), '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});

// The parent is gone: nobody is left to stop this process.
process.on('disconnect', () => process.exit());
