import type { RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getTestServer } from '@google-cloud/functions-framework/testing';
import { foreignOrNotJson, guarded } from '@serverless-reconciler/local-cluster/foreign-request';
import { loadConfig } from '../../project/config-file.ts';

/**
 * Runs one function in a separate process. Starts the server of the functions framework on loopback, because the
 * framework's command would listen on every interface.
 *
 * Flow: loads the function and reports `loaded`. Listens when the parent sends `listen`. When the parent sends
 * `release`, frees the port, finishes the requests in progress and exits.
 * Guarantees: refuses requests from web pages and from other machines. A deployed function does not refuse them: IAM
 * protects the function, and the platform chooses its host name.
 */
const [target = '', port = '', given = '{}'] = process.argv.slice(2);
const source = JSON.parse(given) as { readonly config: string } | { readonly code: string };

if ('code' in source) await import(source.code);
else {
  const { serve } = await import('../../../functions/serve.ts');
  serve(await loadConfig(source.config));
}
const server = getTestServer(target);
for (const serve of server.listeners('request')) {
  server.off('request', serve as RequestListener);
  server.on('request', guarded(foreignOrNotJson, serve as RequestListener));
}
server.on('request', (_, response: ServerResponse) => {
  // After `release`, closes idle connections, because a connection that is kept alive would keep the server open.
  response.once('close', () => {
    if (!server.listening) setImmediate(() => server.closeIdleConnections());
  });
});
server.on('error', (error: NodeJS.ErrnoException) => {
  process.send?.({ error: error.code ?? error.message });
});
process.on('message', (command) => {
  if (command === 'listen') {
    server.listen(Number(port), '127.0.0.1', () => {
      process.send?.({ port: (server.address() as AddressInfo).port });
    });
  } else {
    server.close(() => process.exit());
    process.send?.({ released: true });
  }
});
process.send?.({ loaded: true });

// Exits explicitly, because Node does not write the compile cache when a signal ends the process.
process.once('SIGTERM', () => process.exit());
// Exits when the parent exits, because nothing else would stop this process.
process.on('disconnect', () => process.exit());
