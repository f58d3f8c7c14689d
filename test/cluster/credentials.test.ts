import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CredentialsError, fromContext, fromEndpoint } from '../../shared/cluster/credentials.ts';

const cluster = { server: 'https://10.0.0.1:6443' };
const config = (over: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'other',
  clusters: [{ name: 'main', cluster }],
  users: [{ name: 'me', user: { token: 't1' } }],
  contexts: [
    { name: 'demo', context: { cluster: 'main', user: 'me' } },
    { name: 'other', context: { cluster: 'main', user: 'me' } },
    { name: 'astray', context: { cluster: 'nowhere', user: 'me' } },
  ],
  ...over,
});

/** Points KUBECONFIG at a file with this in it; returns how to write another one. */
async function kubeconfig(content: object | string) {
  const directory = await mkdtemp(join(tmpdir(), 'kubeconfig-'));
  const path = join(directory, 'config');
  const write = (text: object | string) =>
    writeFile(path, typeof text === 'string' ? text : JSON.stringify(text));
  await write(content);
  vi.stubEnv('KUBECONFIG', path);
  onTestFinished(async () => {
    vi.unstubAllEnvs();
    await rm(directory, { recursive: true });
  });
  return { directory, write };
}

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a context of the kubeconfig', () => {
  it('gives a server and a token, whichever context is the current one', async () => {
    await kubeconfig(config());
    const credentials = await fromContext('demo');
    expect(credentials.server).toBe('https://10.0.0.1:6443');
    expect(await credentials.authorization(false)).toBe('Bearer t1');
  });

  it('gives what TLS needs, and no key that is absent', async () => {
    const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';
    const authority = Buffer.from(pem).toString('base64');
    await kubeconfig(
      config({
        clusters: [
          { name: 'main', cluster: { ...cluster, 'certificate-authority-data': authority } },
        ],
      }),
    );
    const { tls } = await fromContext('demo');
    expect(String('ca' in tls && tls.ca)).toBe(pem);
    expect(Object.keys(tls)).not.toContain('cert');
  });

  it('sends no header where the user has none', async () => {
    await kubeconfig(config({ users: [{ name: 'me', user: {} }] }));
    const credentials = await fromContext('demo');
    expect(await credentials.authorization(false)).toBe(undefined);
  });

  it('may be a plain address, as kubectl proxy has', async () => {
    const server = 'http://127.0.0.1:8001';
    await kubeconfig(config({ clusters: [{ name: 'main', cluster: { server } }] }));
    const credentials = await fromContext('demo');
    expect(credentials.server).toBe(server);
    expect(await credentials.authorization(false)).toBe('Bearer t1');
  });

  it('C-10 is read again once its token was refused', async () => {
    const { write } = await kubeconfig(config());
    const { authorization } = await fromContext('demo');
    expect(await authorization(false)).toBe('Bearer t1');
    await write(config({ users: [{ name: 'me', user: { token: 't2' } }] }));
    expect(await authorization(false)).toBe('Bearer t1');
    expect(await authorization(true)).toBe('Bearer t2');
    expect(await authorization(false)).toBe('Bearer t2');
  });

  it('C-10 does not keep a failure to authenticate', async () => {
    const { write } = await kubeconfig(config());
    const { authorization } = await fromContext('demo');
    await write('no: [kubeconfig');
    expect(await failureOf(authorization(true))).toBeInstanceOf(CredentialsError);
    await write(config({ users: [{ name: 'me', user: { token: 't3' } }] }));
    expect(await authorization(true)).toBe('Bearer t3');
    expect(await authorization(false)).toBe('Bearer t3');
  });
});

interface Bad {
  readonly reason: string;
  readonly given: object | string;
  readonly context: string;
  readonly want: string;
}

const bad: Record<string, Bad> = {
  NoSuchContext: {
    reason: 'the ones there are',
    given: config(),
    context: 'production',
    want: 'CLUSTER_CONTEXT: the kubeconfig has no context "production"; it has: demo, other, astray',
  },
  NoContext: {
    reason: 'there are none',
    given: config({ contexts: [], clusters: [], users: [] }),
    context: 'demo',
    want: 'CLUSTER_CONTEXT: the kubeconfig has no context "demo"; it has: none',
  },
  NoCluster: {
    reason: 'a context without its cluster',
    given: config(),
    context: 'astray',
    want: 'CLUSTER_CONTEXT: context "astray" names a cluster that the kubeconfig lacks',
  },
  NoKubeconfig: {
    reason: 'a file that is none',
    given: 'a: [b',
    context: 'demo',
    want: 'CLUSTER_CONTEXT: the kubeconfig cannot be read: ',
  },
  NoPlugin: {
    reason: 'a plugin that is not installed',
    given: config({
      users: [
        {
          name: 'me',
          user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: '/no/plugin' } },
        },
      ],
    }),
    context: 'demo',
    want: 'CLUSTER_CONTEXT: context "demo" does not lead to credentials: spawn /no/plugin ENOENT',
  },
};

describe('a context that leads nowhere', () => {
  it.each(Object.entries(bad))('%s', async (_, { reason, given, context, want }) => {
    await kubeconfig(given);
    const error = await failureOf(fromContext(context));
    expect(error, reason).toBeInstanceOf(CredentialsError);
    expect((error as Error).message.startsWith(want), (error as Error).message).toBe(true);
  });
});

describe('an endpoint on Google Cloud', () => {
  it('is a host name, or an address', () => {
    expect(fromEndpoint('gke-1.gke.goog', undefined)).toMatchObject({
      server: 'https://gke-1.gke.goog',
      tls: {},
    });
    expect(fromEndpoint('https://10.0.0.1', 'Q0E=')).toMatchObject({
      server: 'https://10.0.0.1',
      tls: { ca: 'CA' },
    });
  });
});
