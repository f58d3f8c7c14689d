import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { whyUnanswered } from '../../infra/cli/base/probe.ts';
import { lateResponse } from '../../shared/cluster/http/exchange.ts';
import { createAuthority, type Identity } from '../support/certificates.ts';
import { runAlone } from './command-runner.ts';

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'cli-no-response-'));
});
afterAll(() => rm(directory, { recursive: true }));

const authority = createAuthority();
const expired = authority.issue('api server', { isExpired: true });
const valid = authority.issue('api server');

const refused: readonly (readonly [
  what: string,
  given: { readonly identity: Identity; readonly host?: string; readonly ca?: string },
  want: { readonly why: RegExp; readonly remedy: string },
])[] = [
  [
    'has expired',
    { identity: expired },
    {
      why: /certificate has expired/,
      remedy: "check this machine's clock, or have the certificate renewed",
    },
  ],
  [
    'was issued for another address',
    { identity: valid, host: 'localhost' },
    {
      why: /localhost/,
      remedy: 'check `server` and `tls-server-name` of the cluster in the kubeconfig',
    },
  ],
  [
    'was issued by an unknown authority',
    { identity: valid, ca: createAuthority('another').certificate },
    {
      why: /unable to verify the first certificate/,
      remedy: 'check `certificate-authority-data` of the cluster in the kubeconfig',
    },
  ],
];

describe('a certificate that', () => {
  it.each(refused)(
    '%s is reported with the reason and what to check',
    async (_, { identity, ...given }, want) => {
      const port = await serve(identity, (_request, response) => response.end('{}'));
      const { host = '127.0.0.1', ca = authority.certificate } = given;
      const env = { KUBECONFIG: await kubeconfigFor(`https://${host}:${port}`, ca) };
      const notAccepted = new RegExp(
        `^the certificate of https://${host}:${port} is not accepted: .*${want.why.source}`,
      );

      const planned = await runAlone(['plan'], { env, home: directory });
      expect(planned.code).toBe(1);
      expect(planned.err).toMatch(notAccepted);
      expect(planned.err).toContain(`; ${want.remedy}\n`);
      expect(planned.err).not.toContain('is it running');

      const { code, out } = await runAlone(['doctor', '-o', 'json'], { env, home: directory });
      expect(code).toBe(1);
      expect(JSON.parse(out).checks).toEqual([
        {
          name: 'API server',
          state: 'fail',
          message: expect.stringMatching(notAccepted),
          remedy: want.remedy,
        },
      ]);
    },
  );
});

it.each([200, 404])(
  'a server that is not an API server is reported as such, code %i',
  async (is) => {
    const port = await serve(valid, (_, response) => {
      response.writeHead(is).end('<html>Log in</html>');
    });
    const env = {
      KUBECONFIG: await kubeconfigFor(`https://127.0.0.1:${port}`, authority.certificate),
    };
    const { code, out } = await runAlone(['doctor', '-o', 'json'], { env, home: directory });
    expect(code).toBe(1);
    expect(JSON.parse(out).checks).toEqual([
      expect.objectContaining({
        state: 'fail',
        message: `returns ${is} for /version: <html>Log in</html>`,
        remedy: expect.stringContaining('is this the address of an API server?'),
      }),
    ]);
    const status = await runAlone(['status'], { env, home: directory });
    expect(status.err).toMatch(
      /returns \d+ for \/version: .*; is this the address of an API server\?\n$/,
    );
  },
);

it.each([
  ['a timeout', lateResponse(10_000), 'nothing within 10 s'],
  [
    'each address of a host name that fails',
    new AggregateError([new Error('connect ECONNREFUSED ::1:1'), new Error('refused')]),
    'connect ECONNREFUSED ::1:1; refused',
  ],
  ['an error without a message', new TypeError(), 'TypeError'],
])('the reason for a missing response contains %s', (_, cause, want) => {
  expect(whyUnanswered(cause)).toBe(want);
});

async function serve({ certificate, key }: Identity, listener: RequestListener): Promise<number> {
  const server = createServer({ cert: certificate, key }, listener);
  server.on('tlsClientError', () => undefined);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

async function kubeconfigFor(server: string, ca: string): Promise<string> {
  const file = join(directory, `kubeconfig-${new URL(server).port}`);
  const data = Buffer.from(ca).toString('base64');
  const config = {
    'current-context': 'one',
    clusters: [{ name: 'one', cluster: { server, 'certificate-authority-data': data } }],
    users: [{ name: 'one', user: { token: 'some' } }],
    contexts: [{ name: 'one', context: { cluster: 'one', user: 'one' } }],
  };
  await writeFile(file, JSON.stringify(config));
  return file;
}
