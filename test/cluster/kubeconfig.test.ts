import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { fromContext } from '../../shared/cluster/credentials/credentials.ts';
import { readKubeconfig } from '../../shared/cluster/credentials/kubeconfig.ts';
import { startApiEndpoint } from '../support/api-endpoint.ts';
import { casesOf } from '../support/cases.ts';
import { createAuthority } from '../support/certificates.ts';
import { startGuardedCluster } from '../support/guarded-cluster.ts';
import { startProxy } from '../support/proxy.ts';
import { base64, directory, list, open } from './access.ts';

const server = 'https://10.0.0.1:6443';

interface Given {
  readonly user?: object;
  readonly cluster?: object;
  readonly over?: object;
}

const config = ({ user = { token: 't' }, cluster = {}, over = {} }: Given = {}) => ({
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'demo',
  clusters: [{ name: 'main', cluster: { server, ...cluster } }],
  users: [{ name: 'me', user }],
  contexts: [{ name: 'demo', context: { cluster: 'main', user: 'me' } }],
  ...over,
});

/** Writes files with these contents to a new directory; undefined stands for a missing file. */
async function files(...contents: readonly (object | string | undefined)[]) {
  const place = await directory();
  const paths = contents.map((_, at) => join(place, `config-${at}`));
  for (const [at, content] of contents.entries())
    if (content !== undefined)
      await writeFile(
        paths[at] ?? '',
        typeof content === 'string' ? content : JSON.stringify(content),
      );
  return paths;
}

const contextOf = async (given: Given) => fromContext('demo', await files(config(given)));

interface Several {
  readonly reason: string;
  readonly given: readonly (object | string | undefined)[];
  readonly want: string;
}

const second = config({ user: { token: 'second' } });
/** Expected values are those of kubectl 1.36. */
const several: Readonly<Record<string, Several>> = {
  First: {
    reason: 'the first of two users with the same name counts',
    given: [config(), second],
    want: 't',
  },
  Missing: { reason: 'a missing file is skipped', given: [undefined, second], want: 'second' },
  Empty: { reason: 'an empty file is skipped', given: ['', second], want: 'second' },
  Null: { reason: 'an empty document is skipped', given: ['null', second], want: 'second' },
  Comment: {
    reason: 'a file with comments only is skipped',
    given: ['# nothing\n', second],
    want: 'second',
  },
  NoKind: {
    reason: 'the kind defaults to Config',
    given: [{ ...config(), kind: undefined, apiVersion: undefined }],
    want: 't',
  },
  Parts: {
    reason: 'a context of one file may name a user of another',
    given: [config({ over: { users: [] } }), { users: second.users }],
    want: 'second',
  },
  Unknown: {
    reason: 'unknown fields are ignored',
    given: [config({ over: { more: 1 } })],
    want: 't',
  },
  Anchors: {
    reason: 'YAML anchors and merge keys are resolved',
    given: [
      `common: &common { token: merged }
clusters: [{ name: main, cluster: { server: '${server}' } }]
users: [{ name: me, user: { <<: *common } }]
contexts: [{ name: demo, context: { cluster: main, user: me } }]`,
    ],
    want: 'merged',
  },
};

describe('several kubeconfigs are read as kubectl reads them', () => {
  it.each(casesOf(several))('%s', async (_, { given, want }) => {
    const paths = await files(...given);
    const credentials = await fromContext('demo', paths);
    expect(await credentials.access(false)).toMatchObject({ authorization: `Bearer ${want}` });
    vi.stubEnv('KUBECONFIG', paths.join(':'));
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await (await fromContext('demo')).access(false)).toMatchObject({
      authorization: `Bearer ${want}`,
    });
  });

  it('including the current context, which is the first that is set', async () => {
    const none = config({ over: { 'current-context': '' } });
    const other = config({ over: { 'current-context': 'other' } });
    expect(readKubeconfig(await files(none, other, config())).currentContext).toBe('other');
  });

  it('including a broken one, which is named in an error and not skipped', async () => {
    const paths = await files(config(), 'a: [b');
    await expect(fromContext('demo', paths)).rejects.toThrow(`${paths[1]} cannot be read: `);
  });
});

describe('TLS', () => {
  it('prefers data to a file, which is not read', async () => {
    const { certificate } = createAuthority();
    const cluster = {
      'certificate-authority-data': base64(certificate),
      'certificate-authority': '/no/file',
    };
    const { tls } = await (await contextOf({ cluster })).access(false);
    expect(String('ca' in tls && tls.ca)).toBe(certificate);
  });

  it('uses tls-server-name and insecure-skip-tls-verify', async () => {
    const cluster = { 'tls-server-name': 'api.example.com', 'insecure-skip-tls-verify': true };
    const { tls } = await (await contextOf({ cluster })).access(false);
    expect(tls).toEqual({
      servername: 'api.example.com',
      rejectUnauthorized: false,
    });
  });

  it('ignores insecure-skip-tls-verify beside an authority', async () => {
    const authority = base64(createAuthority().certificate);
    const cluster = {
      'certificate-authority-data': authority,
      'insecure-skip-tls-verify': true,
    };
    const { tls } = await (await contextOf({ cluster })).access(false);
    expect(tls.rejectUnauthorized).toBeUndefined();
  });
});

describe('a user that impersonates another', () => {
  const user = {
    as: 'jane',
    'as-uid': 'u-1',
    'as-groups': ['a', 'b'],
    'as-user-extra': { 'example.com/scopes': ['s1', 's2'], reason: ['x'] },
  };

  it('sends a header for each value with every request', async () => {
    const api = await startApiEndpoint(() => ({ body: {} }));
    await open(await contextOf({ user, cluster: { server: api.url } })).send(list);
    expect(api.requests[0]?.headers).toMatchObject({
      'impersonate-user': 'jane',
      'impersonate-uid': 'u-1',
      'impersonate-group': 'a, b',
      'impersonate-extra-example.com%2fscopes': 's1, s2',
      'impersonate-extra-reason': 'x',
    });
  });

  it.each([
    [{ as: 'Jürgen' }, 'Jürgen'],
    [{ as: 'jane', 'as-groups': ['王'] }, '王'],
    [{ as: 'jane', 'as-user-extra': { reason: ['a\nb'] } }, 'a\nb'],
  ])('cannot have a name that a header cannot carry: %j', async (names, text) => {
    await expect(contextOf({ user: names })).rejects.toThrow(
      `user "me" impersonates ${JSON.stringify(text)}, but only ASCII text can be sent`,
    );
  });

  it('may be renamed, which takes effect when the kubeconfig is read again', async () => {
    const paths = await files(config({ user: { token: 't', as: 'jane' } }));
    const credentials = await fromContext('demo', paths);
    await writeFile(paths[0] ?? '', JSON.stringify(config({ user: { token: 't', as: 'joe' } })));
    expect(await credentials.access(true)).toMatchObject({
      impersonation: { 'impersonate-user': 'joe' },
    });
  });
});

it('a cluster with a proxy-url is reached through that, not through the proxy of the environment', async () => {
  const guarded = await startGuardedCluster(({ token }) => token === 't');
  const proxy = await startProxy({ to: guarded.url });
  const cluster = {
    server: guarded.url,
    'certificate-authority-data': base64(guarded.authority.certificate),
    'proxy-url': proxy.url,
  };
  for (const [name, value] of Object.entries({ HTTPS_PROXY: 'http://127.0.0.1:1', NO_PROXY: '*' }))
    vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const connection = open(await contextOf({ cluster }));
  await connection.send(list);
  expect(proxy.asked.length).toBe(1);
});
