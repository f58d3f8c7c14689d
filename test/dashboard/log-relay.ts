import { once } from 'node:events';
import { createServer, request as forward } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LogRelay {
  readonly url: string;
  /** The queries of the logs that were read, by `pod/container`. */
  readonly asked: Map<string, URLSearchParams>;
  readonly stop: () => Promise<void>;
}

/**
 * Stands before an embedded cluster, which has no logs, and handles requests for them with `text`. Gives up a log
 * whose text is undefined.
 */
export async function startLogRelay(
  cluster: { readonly url: string },
  text: (of: string) => string | undefined,
): Promise<LogRelay> {
  const asked = new Map<string, URLSearchParams>();
  const server = createServer((incoming, response) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '/', cluster.url);
    const [, pod] = /\/pods\/([^/]+)\/log$/.exec(pathname) ?? [];
    if (pod !== undefined) {
      const of = `${pod}/${searchParams.get('container')}`;
      asked.set(of, searchParams);
      const found = text(of);
      response.writeHead(found === undefined ? 500 : 200, { 'content-type': 'text/plain' });
      response.end(found ?? 'the kubelet does not response');
      return;
    }
    const { method, headers } = incoming;
    const onward = forward(
      new URL(incoming.url ?? '/', cluster.url),
      { method, headers },
      (got) => {
        response.writeHead(got.statusCode ?? 500, got.headers);
        got.pipe(response);
      },
    );
    incoming.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
