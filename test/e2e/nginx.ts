import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { authUrlAnnotation } from '../../shared/kinds/child-types/ingress.ts';
import { eventually } from '../scenarios/eventually.ts';
import { freePort } from '../support/processes.ts';

/** The fields of an Ingress that the template of the controller reads. */
export interface Ingress {
  readonly annotations: Readonly<Record<string, string>>;
  readonly paths: readonly string[];
}

/** The result of a request: the status, and the path that reached the application, if it did. */
export interface Passage {
  readonly status: number;
  readonly saw: string | undefined;
  /** Scopes that were demanded from the request. */
  readonly asked: string | undefined;
}

export interface Nginx {
  /** Sends an unchanged request line; `authorized` is the response of the authorizer. */
  send(line: string, authorized?: boolean): Promise<Passage>;
  stop(): Promise<void>;
}

const deny = 'x-deny';

/** Starts the nginx of this machine on loopback, with the locations that ingress-nginx generates for Ingresses. */
export async function startNginx(ingresses: readonly Ingress[]): Promise<Nginx> {
  let saw: string | undefined;
  let asked: string | undefined;
  const application = await listen(({ url }) => {
    saw = url;
    return 200;
  });
  const authorizer = await listen(({ url, headers }) => {
    asked = new URL(url ?? '', 'http://auth').searchParams.get('scopes') ?? '';
    return headers[deny] === 'yes' ? 401 : 200;
  });
  const port = await freePort();
  const directory = await mkdtemp(join(tmpdir(), 'nginx-'));
  const servers = { port, application: portOf(application), authorizer: portOf(authorizer) };
  const file = join(directory, 'nginx.conf');
  await writeFile(file, configuration(directory, ingresses, servers));
  const child = spawn('nginx', ['-p', directory, '-c', file, '-e', join(directory, 'error.log')], {
    stdio: 'ignore',
  });
  const failed = once(child, 'error').then(([error]) => {
    throw new Error(`nginx cannot be started; install it (apt-get install nginx): ${error}`);
  });
  failed.catch(() => undefined);
  const stop = async (): Promise<void> => {
    await ended(child);
    application.close();
    authorizer.close();
    await rm(directory, { recursive: true });
  };
  try {
    await Promise.race([eventually(() => exchange(port, 'GET / HTTP/1.1', false)), failed]);
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    stop,
    async send(line, authorized = false) {
      saw = undefined;
      asked = undefined;
      return { status: await exchange(port, line, !authorized), saw, asked };
    },
  };
}

async function listen(codeFor: (request: IncomingMessage) => number): Promise<Server> {
  const server = createServer((request, response) => {
    response.writeHead(codeFor(request)).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Sends a request on a new connection; returns the status. */
async function exchange(port: number, line: string, denied: boolean): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  const head = `${line}\r\nHost: shop\r\n${denied ? `${deny}: yes\r\n` : ''}Connection: close\r\n\r\n`;
  socket.write(Buffer.from(head, 'latin1'));
  await once(socket, 'close');
  const status = /^HTTP\/1\.[01] (\d+)/.exec(Buffer.concat(chunks).toString('latin1'))?.[1];
  return Number(status ?? 0);
}

interface Ports {
  readonly port: number;
  readonly application: number;
  readonly authorizer: number;
}

/** Orders locations by length, then by text, as rootfs/etc/nginx/template/nginx.tmpl of ingress-nginx does. */
function configuration(
  directory: string,
  ingresses: readonly Ingress[],
  { port, application, authorizer }: Ports,
): string {
  const all = ingresses.flatMap(({ annotations, paths }) =>
    paths.map((path) => ({ path, authUrl: annotations[authUrlAnnotation] })),
  );
  const locations = all
    .toSorted((a, b) => b.path.length - a.path.length || (a.path > b.path ? -1 : 1))
    .map(({ path, authUrl }, at) => {
      const query = authUrl === undefined ? '' : new URL(authUrl).search;
      const check = `location = /_external-auth-${at} {
        internal;
        proxy_pass_request_body off;
        proxy_set_header Content-Length "";
        proxy_pass http://127.0.0.1:${authorizer}/check${query};
      }`;
      return `${authUrl === undefined ? '' : check}
      location ~* "^${path}" {
        ${authUrl === undefined ? '' : `auth_request /_external-auth-${at};`}
        rewrite "(?i)${path}" /$1 break;
        proxy_pass http://127.0.0.1:${application};
      }`;
    });
  return `daemon off;
  master_process off;
  pid ${directory}/pid;
  events {}
  http {
    access_log off;
    client_body_temp_path ${directory}/body;
    proxy_temp_path ${directory}/proxy;
    fastcgi_temp_path ${directory}/fastcgi;
    uwsgi_temp_path ${directory}/uwsgi;
    scgi_temp_path ${directory}/scgi;
    server {
      listen 127.0.0.1:${port};
      ${locations.join('\n')}
      location / { return 404; }
    }
  }`;
}
