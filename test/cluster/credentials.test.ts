import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CredentialsError } from '../../shared/cluster/cluster-errors.ts';
import { fromContext, renewed } from '../../shared/cluster/credentials/credentials.ts';
import { casesOf } from '../support/cases.ts';
import { createAuthority } from '../support/certificates.ts';
import { base64, stopTheClock } from './access.ts';

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

/** Points KUBECONFIG at a file with this content; returns a function that replaces the content. */
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
  it('gives a server and a token even if another context is current', async () => {
    await kubeconfig(config());
    const credentials = await fromContext('demo');
    expect(credentials.server).toBe('https://10.0.0.1:6443');
    expect(await credentials.access(false)).toMatchObject({ authorization: 'Bearer t1' });
  });

  it('gives only those TLS options that it has', async () => {
    const pem = createAuthority().certificate;
    const authority = Buffer.from(pem).toString('base64');
    await kubeconfig(
      config({
        clusters: [
          { name: 'main', cluster: { ...cluster, 'certificate-authority-data': authority } },
        ],
      }),
    );
    const { tls } = await (await fromContext('demo')).access(false);
    expect(String('ca' in tls && tls.ca)).toBe(pem);
    expect(Object.keys(tls)).not.toContain('cert');
  });

  it('sends no header for a user without a token', async () => {
    await kubeconfig(config({ users: [{ name: 'me', user: {} }] }));
    const credentials = await fromContext('demo');
    expect(await credentials.access(false)).toMatchObject({ authorization: undefined });
  });

  it('may have a plain HTTP server, such as kubectl proxy', async () => {
    const server = 'http://127.0.0.1:8001';
    await kubeconfig(config({ clusters: [{ name: 'main', cluster: { server } }] }));
    const credentials = await fromContext('demo');
    expect(credentials.server).toBe(server);
    expect(await credentials.access(false)).toMatchObject({ authorization: 'Bearer t1' });
  });

  it.each(['http://localhost:8001', 'http://127.1:8001', 'http://[::1]:8001'])(
    'may have the server %s, because loopback cannot be intercepted',
    async (server) => {
      await kubeconfig(config({ clusters: [{ name: 'main', cluster: { server } }] }));
      expect(await (await fromContext('demo')).access(false)).toMatchObject({
        authorization: 'Bearer t1',
      });
    },
  );

  it('may have a plain HTTP server elsewhere for a user without credentials', async () => {
    const clusters = [{ name: 'main', cluster: { server: 'http://10.0.0.1:8080' } }];
    await kubeconfig(config({ clusters, users: [{ name: 'me', user: {} }] }));
    expect(await (await fromContext('demo')).access(false)).toMatchObject({
      authorization: undefined,
    });
  });

  it('C-10 is read again after its token was refused', async () => {
    const { write } = await kubeconfig(config());
    const { access } = await fromContext('demo');
    expect(await access(false)).toMatchObject({ authorization: 'Bearer t1' });
    await write(config({ users: [{ name: 'me', user: { token: 't2' } }] }));
    expect(await access(false)).toMatchObject({ authorization: 'Bearer t1' });
    expect(await access(true)).toMatchObject({ authorization: 'Bearer t2' });
    expect(await access(false)).toMatchObject({ authorization: 'Bearer t2' });
  });

  it('C-10 is read again after a minute, and keeps its credentials while it cannot be parsed', async () => {
    const { advance } = stopTheClock();
    const { write } = await kubeconfig(config());
    const credentials = await fromContext('demo');
    expect(await credentials.access(false)).toMatchObject({ authorization: 'Bearer t1' });
    await write('no: [kubeconfig');
    advance(61);
    expect(await credentials.access(false)).toMatchObject({ authorization: 'Bearer t1' });
    const ca = createAuthority().certificate;
    const rotated = { ...cluster, 'certificate-authority-data': base64(ca) };
    const users = [{ name: 'me', user: { token: 't2' } }];
    await write(config({ clusters: [{ name: 'main', cluster: rotated }], users }));
    const { authorization, tls } = await credentials.access(false);
    expect({ authorization, ca: String(tls.ca) }).toEqual({ authorization: 'Bearer t2', ca });
  });

  it('C-10 does not remember a failure to authenticate', async () => {
    const { write } = await kubeconfig(config());
    const { access } = await fromContext('demo');
    await write('no: [kubeconfig');
    expect(await failureOf(access(true))).toBeInstanceOf(CredentialsError);
    await write(config({ users: [{ name: 'me', user: { token: 't3' } }] }));
    expect(await access(true)).toMatchObject({ authorization: 'Bearer t3' });
    expect(await access(false)).toMatchObject({ authorization: 'Bearer t3' });
  });
});

interface Bad {
  readonly reason: string;
  readonly given: object | string;
  readonly context: string;
  readonly want: string;
}

const bad: Record<string, Bad> = {
  TwoOfOneName: {
    reason: 'kubectl also refuses them within one file',
    given: config({ users: ['a', 'b'].map((token) => ({ name: 'me', user: { token } })) }),
    context: 'demo',
    want: 'CLUSTER_CONTEXT: FILE cannot be read: two users have the name "me"',
  },
  NoList: {
    reason: 'the error names the field',
    given: config({ users: 'me' }),
    context: 'demo',
    want: 'CLUSTER_CONTEXT: FILE cannot be read: its field users is not a list',
  },
  NoName: {
    reason: 'the error names the entry',
    given: config({ users: [{ user: {} }] }),
    context: 'demo',
    want: 'CLUSTER_CONTEXT: FILE cannot be read: users[0].name is missing',
  },
  Bomb: {
    reason: 'aliases may expand exponentially',
    given: `a: &a [x]\n${'bcdefgh'.replace(/./g, (c) => `${c}: &${c} [${Array(20).fill(`*${String.fromCharCode(c.charCodeAt(0) - 1)}`)}]\n`)}`,
    context: 'demo',
    want: 'CLUSTER_CONTEXT: FILE cannot be read: a YAML alias cannot be resolved',
  },
  Proxy: {
    reason: 'the error names the cluster, without the password',
    given: config({
      clusters: [{ name: 'main', cluster: { ...cluster, 'proxy-url': 'ftp://me:x@proxy' } }],
    }),
    context: 'demo',
    want: 'CLUSTER_CONTEXT: context "demo" yields no credentials: proxy-url of cluster "main" is not the address of an http, https or socks5 proxy; write it as http://HOST:PORT',
  },
  NoSuchContext: {
    reason: 'the error lists the existing contexts',
    given: config(),
    context: 'production',
    want: 'CLUSTER_CONTEXT: the kubeconfig has no context "production"; it has: demo, other, astray',
  },
  NoContext: {
    reason: 'there are no contexts',
    given: config({ contexts: [], clusters: [], users: [] }),
    context: 'demo',
    want: 'CLUSTER_CONTEXT: there is no kubeconfig with a context; set KUBECONFIG or write ~/.kube/config',
  },
  NoCluster: {
    reason: 'the cluster of the context is missing',
    given: config(),
    context: 'astray',
    want: 'CLUSTER_CONTEXT: context "astray" names the cluster "nowhere", which the kubeconfig lacks; it has: main',
  },
  NoYaml: {
    reason: 'the error names the file and the position',
    given: 'a: [b',
    context: 'demo',
    want: 'CLUSTER_CONTEXT: FILE cannot be read: bad indent (line 1, column 6)',
  },
  NoPlugin: {
    reason: 'the plugin is not installed',
    given: config({
      users: [
        {
          name: 'me',
          user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: '/no/plugin' } },
        },
      ],
    }),
    context: 'demo',
    want: 'CLUSTER_CONTEXT: context "demo" yields no credentials: the exec plugin /no/plugin is not installed (ENOENT)',
  },
  NoAddress: {
    reason: 'the server URL has no scheme',
    given: config({ clusters: [{ name: 'main', cluster: { server: '10.0.0.1:6443' } }] }),
    context: 'demo',
    want: 'CLUSTER_CONTEXT: the server of context "demo" is not an http(s) address; write it as https://HOST:PORT',
  },
  NoAuthorityFile: {
    reason: 'the error names the missing file',
    given: config({
      clusters: [{ name: 'main', cluster: { ...cluster, 'certificate-authority': '/no/ca.crt' } }],
    }),
    context: 'demo',
    want: 'CLUSTER_CONTEXT: context "demo" yields no credentials: ENOENT: no such file or directory, open \'/no/ca.crt\'',
  },
  NoServer: {
    reason: 'kubectl would ask localhost:8080',
    given: config({ clusters: [{ name: 'main', cluster: {} }] }),
    context: 'demo',
    want: 'CLUSTER_CONTEXT: the server of context "demo" is not an http(s) address; write it as https://HOST:PORT',
  },
  Empty: {
    reason: 'an empty file has no contexts',
    given: '\n',
    context: 'demo',
    want: 'CLUSTER_CONTEXT: there is no kubeconfig with a context; set KUBECONFIG or write ~/.kube/config',
  },
  NoCertificate: {
    reason: 'an invalid certificate would fail each request',
    given: config({
      users: [
        {
          name: 'me',
          user: { 'client-certificate-data': base64('x'), 'client-key-data': base64('y') },
        },
      ],
    }),
    context: 'demo',
    want: 'CLUSTER_CONTEXT: context "demo" yields no credentials: the certificate or key of user "me" cannot be used (ERR_OSSL_PEM_NO_START_LINE)',
  },
  Nothing: {
    reason: 'kubectl reads it as an empty file',
    given: 'null',
    context: 'demo',
    want: 'CLUSTER_CONTEXT: there is no kubeconfig with a context; set KUBECONFIG or write ~/.kube/config',
  },
  BlockingProvider: {
    reason: 'the command of an auth-provider would end the process',
    given: config({
      users: [
        {
          name: 'me',
          user: { 'auth-provider': { name: 'gcp', config: { 'cmd-path': '/bin/sleep' } } },
        },
      ],
    }),
    context: 'demo',
    want: 'CLUSTER_CONTEXT: context "demo" yields no credentials: the auth-provider "gcp" is not supported; use an exec plugin such as kubelogin or gke-gcloud-auth-plugin',
  },
};

describe('an unusable context', () => {
  it.each(casesOf(bad))('%s', async (_, { given, context, want }) => {
    const { directory } = await kubeconfig(given);
    const error = await failureOf(fromContext(context));
    expect(error).toBeInstanceOf(CredentialsError);
    const { message: text, cause } = error as Error;
    const message = text.replace(join(directory, 'config'), 'FILE');
    expect(message.startsWith(want), message).toBe(true);
    // The command shows the cause, without the variable.
    expect(text).toBe(`CLUSTER_CONTEXT: ${(cause as Error | undefined)?.message}`);
  });
});

const secret = 'SUPERSECRET';
const yaml = (user: string): string => `apiVersion: v1
kind: Config
clusters: [{ name: main, cluster: { server: 'https://10.0.0.1' } }]
contexts: [{ name: demo, context: { cluster: main, user: me } }]
users:
- name: me
  user:
${user}
`;
const shell = (script: string) => ({
  exec: { apiVersion: 'client.authentication.k8s.io/v1', command: '/bin/sh', args: ['-c', script] },
});
const withPlugin = (script: string) => config({ users: [{ name: 'me', user: shell(script) }] });

/** Kubeconfigs with a secret in the wrong place. */
const leaks: Record<string, { reason: string; given: object | string; want: RegExp }> = {
  Indentation: {
    reason: 'the parser quotes the lines around an error',
    given: yaml(`    token: ${secret}\n   bad: x`),
    want: /cannot be read: [a-z ]+ \(line \d+, column \d+\)$/,
  },
  Alias: {
    reason: 'the token begins with an asterisk',
    given: yaml(`    token: *${secret}`),
    want: /cannot be read: a YAML alias cannot be resolved; quote a string that begins with \*$/,
  },
  Tag: {
    reason: 'the token begins with an exclamation mark',
    given: yaml(`    token: !${secret}`),
    want: /cannot be read: tag resolve failed \(line 8, column \d+\)$/,
  },
  Handle: {
    reason: 'the token looks like a YAML tag',
    given: yaml(`    token: !${secret}!x y`),
    want: /cannot be read: tag resolve failed \(line 8, column \d+\)$/,
  },
  PluginFails: {
    reason: 'a plugin may print its token and then fail',
    given: withPlugin(`echo ${secret} >&2; echo ${secret}; exit 7`),
    want: /credentials: the exec plugin \/bin\/sh failed with exit code 7; run it by hand to see why$/,
  },
  PluginText: {
    reason: 'the plugin prints a token instead of an object',
    given: withPlugin(`echo ${secret}`),
    want: /the exec plugin \/bin\/sh printed no ExecCredential with a token or certificate$/,
  },
  Provider: {
    reason: 'the fields of an auth-provider are not quoted',
    given: config({
      users: [
        {
          name: 'me',
          user: {
            'auth-provider': {
              name: 'oidc',
              config: { 'id-token': `${secret}.${secret}.x`, 'client-id': secret },
            },
          },
        },
      ],
    }),
    want: /: the auth-provider "oidc" is not supported; use an exec plugin such as kubelogin or gke-gcloud-auth-plugin$/,
  },
};

describe('a misplaced secret in a context does not leak', () => {
  it.each(casesOf(leaks))('%s', async (_, { given, want }) => {
    await kubeconfig(given);
    const error = await failureOf(fromContext('demo'));
    expect(error).toBeInstanceOf(CredentialsError);
    expect((error as Error).message).toMatch(want);
    expect(inspect(error, { depth: 9 }).replaceAll(/at .*/g, '')).not.toContain(secret);
  });
});

it('a call that joins a read leaves later calls to read again', async () => {
  const reads = [1, 2, 3].map(() => Promise.withResolvers<number>());
  let begun = 0;
  const authorization = renewed(async () => {
    const value = (await reads[begun++]?.promise) ?? 0;
    return { value, refreshAt: 0, expiresAt: 0 };
  });
  const fresh = authorization(true);
  const joined = authorization(false);
  reads[0]?.reject(new Error('the plugin failed'));
  await expect(fresh).rejects.toThrow('the plugin failed');
  await expect(joined).rejects.toThrow('the plugin failed');
  reads[1]?.resolve(2);
  expect(await authorization(false)).toBe(2);
  reads[2]?.resolve(3);
  expect(await authorization(false)).toBe(3);
});
