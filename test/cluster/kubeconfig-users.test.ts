import { execFile } from 'node:child_process';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { CredentialsError } from '../../shared/cluster/cluster-errors.ts';
import { fromContext } from '../../shared/cluster/credentials/credentials.ts';
import { casesOf } from '../support/cases.ts';
import { createAuthority } from '../support/certificates.ts';
import { startGuardedCluster } from '../support/guarded-cluster.ts';
import { base64, directory, list, open, stopTheClock } from './access.ts';

const issued = createAuthority().issue('reconciler');
const shell = (script: string) => ({
  apiVersion: 'client.authentication.k8s.io/v1',
  command: '/bin/sh',
  args: ['-c', script],
  interactiveMode: 'Never',
});
const plugin = { ...shell(''), command: './plug', args: null };
const fails = shell('exit 3');

/** Writes a kubeconfig to a new directory, with a token and a plugin next to it. */
async function place(user: object, over: object = {}) {
  const root = await directory();
  await mkdir(join(root, 'kube', 'bin'), { recursive: true });
  const file = join(root, 'kube', 'config');
  await writeFile(join(root, 'kube', 'token'), ' in-file\n');
  await writeFile(join(root, 'kube', 'empty'), '\n');
  for (const [name, token] of [
    ['plug', 'plugged'],
    ['bin/plug', 'deep'],
  ] as const) {
    const path = join(root, 'kube', name);
    await writeFile(path, `#!/bin/sh\nprintf '{"status":{"token":"${token}"}}'\n`);
    await chmod(path, 0o755);
  }
  await writeFile(file, JSON.stringify(kubeconfig(user, over)));
  return { root, file };
}

const kubeconfig = (user: object, over: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Config',
  clusters: [{ name: 'main', cluster: { server: 'https://10.0.0.1' } }],
  users: [{ name: 'me', user }],
  contexts: [{ name: 'demo', context: { cluster: 'main', user: 'me' } }],
  ...over,
});

const oidc = { 'auth-provider': { name: 'oidc', config: {} } };

const basic = (text: string): string => `Basic ${base64(text)}`;

const users: Record<string, { reason: string; given: object; want: string | undefined }> = {
  TokenFile: {
    reason: 'the path is relative to the kubeconfig, and white space around the token is dropped',
    given: { tokenFile: 'token' },
    want: 'Bearer in-file',
  },
  TokenFileAndToken: {
    reason: 'tokenFile takes precedence',
    given: { tokenFile: 'token', token: 'written' },
    want: 'Bearer in-file',
  },
  LostTokenFileAndToken: {
    reason: 'the token is the fallback for a missing file',
    given: { tokenFile: 'lost', token: 'written' },
    want: 'Bearer written',
  },
  TokenFileAndPlugin: {
    reason: 'a plugin is run only if the user has nothing else',
    given: { tokenFile: 'token', exec: fails },
    want: 'Bearer in-file',
  },
  TokenAndPlugin: {
    reason: 'a plugin is not run if there is a token',
    given: { token: 'written', exec: fails },
    want: 'Bearer written',
  },
  CertificateAndPlugin: {
    reason: 'a plugin is not run if there is a certificate',
    given: {
      'client-certificate-data': base64(issued.certificate),
      'client-key-data': base64(issued.key),
      exec: fails,
    },
    want: undefined,
  },
  Plugin: {
    reason: 'a command with a slash is relative to the kubeconfig',
    given: { exec: plugin },
    want: 'Bearer plugged',
  },
  DeepPlugin: {
    reason: 'a command with a slash is relative even without a leading dot',
    given: { exec: { ...plugin, command: 'bin/plug' } },
    want: 'Bearer deep',
  },
  PluginOfPath: {
    reason: 'a command without a slash is searched in PATH',
    given: { exec: { ...shell(`printf '{"status":{"token":"found"}}'`), command: 'sh' } },
    want: 'Bearer found',
  },
  Password: {
    reason: 'basic authentication uses UTF-8 (RFC 7617)',
    given: { username: 'anna', password: 'gr\u00fc\u00df:dich' },
    want: basic('anna:gr\u00fc\u00df:dich'),
  },
  OnlyUsername: {
    reason: 'the password is empty if it is missing',
    given: { username: 'anna' },
    want: basic('anna:'),
  },
  PasswordAndPlugin: {
    reason: 'a plugin is run only if the user has nothing else',
    given: { username: 'anna', password: 'p', exec: fails },
    want: basic('anna:p'),
  },
  TokenAndProvider: {
    reason: 'a token takes precedence over an auth-provider',
    given: { ...oidc, token: 'written' },
    want: 'Bearer written',
  },
  EmptyFields: {
    reason: 'an empty field counts as absent',
    given: { token: 't', tokenFile: '', username: '', as: '', 'as-groups': [] },
    want: 'Bearer t',
  },
};

describe('a user of the kubeconfig authenticates by', () => {
  it.each(casesOf(users))('%s', async (_, { given, want }) => {
    const { file } = await place(given);
    const credentials = await fromContext('demo', [file]);
    expect(await credentials.access(false)).toMatchObject({ authorization: want });
  });
});

it('modules for identity providers and SOCKS proxies are loaded only if they are needed', async () => {
  const { file } = await place({ token: 't' });
  const credentials = new URL('../../shared/cluster/credentials/credentials.ts', import.meta.url)
    .href;
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const { fromContext } = await import(${JSON.stringify(credentials)});
    const { access } = await fromContext('demo', [${JSON.stringify(file)}]);
    loaded.unshift((await access(false)).authorization);
    console.log(JSON.stringify(loaded));`;
  const args = ['--input-type=module', '--eval', script];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const [header, ...loaded] = JSON.parse(stdout) as string[];
  expect(header).toBe('Bearer t');
  expect(loaded.filter((url) => /\/(openid-client|socks)\//.test(url))).toEqual([]);
});

describe('a path in a kubeconfig', () => {
  it('is relative to the one of several files that contains it', async () => {
    const { file: first } = await place({ tokenFile: 'nowhere' }, { users: [], contexts: [] });
    const { file: second } = await place({ tokenFile: './token' }, { clusters: [] });
    vi.stubEnv('KUBECONFIG', `:${first}:${second}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await (await fromContext('demo')).access(false)).toMatchObject({
      authorization: 'Bearer in-file',
    });
  });

  it('may be absolute', async () => {
    const { file: elsewhere } = await place({});
    const { file } = await place({ tokenFile: join(elsewhere, '..', 'token') });
    expect(await (await fromContext('demo', [file])).access(false)).toMatchObject({
      authorization: 'Bearer in-file',
    });
  });

  it('is relative in ~/.kube/config as well', async () => {
    const { root } = await place({});
    await mkdir(join(root, '.kube'));
    const user = { tokenFile: '../kube/token' };
    await writeFile(join(root, '.kube', 'config'), JSON.stringify(kubeconfig(user)));
    vi.stubEnv('KUBECONFIG', '');
    vi.stubEnv('HOME', root);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await (await fromContext('demo')).access(false)).toMatchObject({
      authorization: 'Bearer in-file',
    });
  });
});

describe('a token in a file', () => {
  async function openTokenFile() {
    const good = new Set(['in-file']);
    const guarded = await startGuardedCluster(({ token = '' }) => good.has(token));
    const authority = base64(guarded.authority.certificate);
    const cluster = { server: guarded.url, 'certificate-authority-data': authority };
    const { file, root } = await place(
      { tokenFile: 'token' },
      { clusters: [{ name: 'main', cluster }] },
    );
    const renew = (token: string) => writeFile(join(root, 'kube', 'token'), `${token}\n`);
    return { good, guarded, renew, connection: open(await fromContext('demo', [file])) };
  }

  it('C-10 is read again at once if the old token is refused', async () => {
    const { good, guarded, renew, connection } = await openTokenFile();
    await connection.send(list);
    await renew('second');
    good.clear();
    good.add('second');
    await connection.send(list);
    expect(guarded.callers.map(({ token }) => token)).toEqual(['in-file', 'in-file', 'second']);
  });

  it('C-10 is read again after a minute, before any refusal', async () => {
    const { good, guarded, renew, connection } = await openTokenFile();
    const clock = stopTheClock();
    await connection.send(list);
    await renew('second');
    good.add('second');
    clock.advance(61);
    await connection.send(list);
    expect(guarded.callers.map(({ token }) => token)).toEqual(['in-file', 'second']);
  });
});

const leads = 'context "demo" yields no credentials: ';

interface Refused {
  readonly reason: string;
  readonly given?: object;
  readonly over?: object;
  readonly want: string;
}

const refused: Record<string, Refused> = {
  NoSuchUser: {
    reason: 'a misspelt user name would make us anonymous',
    over: { contexts: [{ name: 'demo', context: { cluster: 'main', user: 'ghost' } }] },
    want: 'context "demo" names the user "ghost", which the kubeconfig lacks; it has: me',
  },
  NoUser: {
    reason: 'a context without a user would make us anonymous',
    over: { contexts: [{ name: 'demo', context: { cluster: 'main' } }] },
    want: 'context "demo" names the user "", which the kubeconfig lacks; it has: me',
  },
  LostTokenFile: {
    reason: 'the error names the missing file',
    given: { tokenFile: '/no/token' },
    want: `${leads}the tokenFile of user "me" cannot be read: ENOENT: no such file or directory, open '/no/token'`,
  },
  EmptyTokenFile: {
    reason: 'an empty token would make us anonymous',
    given: { tokenFile: 'empty' },
    want: `${leads}the tokenFile of user "me" is empty`,
  },
  NoText: {
    reason: 'YAML reads 0123 as 83',
    given: { username: 'me', password: 83 },
    want: `${leads}password of user "me" is not a string; quote it`,
  },
  OnlyCertificate: {
    reason: 'TLS ignores a certificate without its key',
    given: { 'client-certificate-data': base64(issued.certificate) },
    want: `${leads}user "me" has only one of certificate and key`,
  },
  OtherKind: {
    reason: 'another kind of manifest may have users as well',
    over: { kind: 'ConfigMap' },
    want: 'DIRECTORY/config cannot be read: its apiVersion must be v1 and its kind must be Config',
  },
  LostPlugin: {
    reason: 'the error lists the paths that were tried',
    given: { exec: { ...plugin, command: './no-plug' } },
    want: `${leads}the exec plugin DIRECTORY/no-plug is not installed (ENOENT)`,
  },
};

describe('a kubeconfig that would make us anonymous or another user is refused', () => {
  it.each(casesOf(refused))('%s', async (_, { given = {}, over, want }) => {
    const { file, root } = await place(given, over);
    const error: unknown = await fromContext('demo', [file]).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(CredentialsError);
    const message = (error as Error).message.replace(join(root, 'kube'), 'DIRECTORY');
    expect(message.startsWith(`CLUSTER_CONTEXT: ${want}`), message).toBe(true);
  });

  it('again and again until it is corrected', async () => {
    const { file, root } = await place({ tokenFile: 'token' });
    const { access } = await fromContext('demo', [file]);
    await rm(join(root, 'kube', 'token'));
    await expect(access(true)).rejects.toBeInstanceOf(CredentialsError);
    await writeFile(join(root, 'kube', 'token'), 'again');
    expect(await access(true)).toMatchObject({ authorization: 'Bearer again' });
  });
});
