import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Credentials, fromContext } from '../../shared/cluster/credentials/credentials.ts';
import { fromServiceAccount } from '../../shared/cluster/credentials/service-account.ts';
import { createAuthority } from '../support/certificates.ts';
import { type Caller, startGuardedCluster } from '../support/guarded-cluster.ts';
import { base64, directory, list, open, stopTheClock } from './access.ts';

/** Writes a kubeconfig with one context, `main`, for this user. */
async function contextFor(
  {
    url,
    authority,
  }: { readonly url: string; readonly authority: { readonly certificate: string } },
  user: object,
): Promise<Credentials> {
  const file = join(await directory(), 'config');
  const cluster = { server: url, 'certificate-authority-data': base64(authority.certificate) };
  await writeFile(
    file,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'main', cluster }],
      users: [{ name: 'main', user }],
      contexts: [{ name: 'main', context: { cluster: 'main', user: 'main' } }],
    }),
  );
  return fromContext('main', [file]);
}

describe('a context with a certificate', () => {
  const isReconciler = ({ certificate }: Caller) => certificate === 'reconciler';

  it('C-10 authenticates with it, over one set of sockets', async () => {
    const guarded = await startGuardedCluster(isReconciler);
    const { certificate, key } = guarded.authority.issue('reconciler');
    const connection = open(
      await contextFor(guarded, {
        'client-certificate-data': base64(certificate),
        'client-key-data': base64(key),
      }),
    );
    await Promise.all(Array.from({ length: 40 }, () => connection.send(list)));
    expect(guarded.refused()).toBe(0);
    expect(guarded.sockets().opened).toBeLessThanOrEqual(8);
  });

  it('C-10 is refused with a certificate of another authority', async () => {
    const guarded = await startGuardedCluster(isReconciler);
    const { certificate, key } = createAuthority('another').issue('reconciler');
    const user = { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) };
    const connection = open(await contextFor(guarded, user));
    await expect(connection.send(list)).rejects.toMatchObject({ code: 401 });
    expect(guarded.callers.length).toBe(1);
  });
});

describe('a context with an exec plugin', () => {
  /** Writes a plugin that prints the content of a file and counts its executions. */
  async function plugin(credential: object) {
    const place = await directory();
    const [script, response, runs] = ['plugin.mjs', 'answer', 'runs'].map((name) =>
      join(place, name),
    );
    await writeFile(
      script!,
      `import { appendFileSync, readFileSync } from 'node:fs';
appendFileSync(${JSON.stringify(runs)}, '.');
process.stdout.write(readFileSync(${JSON.stringify(response)}));`,
    );
    const become = (status: object): Promise<void> =>
      writeFile(
        response!,
        JSON.stringify({
          apiVersion: 'client.authentication.k8s.io/v1',
          kind: 'ExecCredential',
          status,
        }),
      );
    await become(credential);
    const user = {
      exec: {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: process.execPath,
        args: [script],
        interactiveMode: 'Never',
      },
    };
    return { user, become, runs: async () => (await readFile(runs!, 'utf8')).length };
  }

  it('C-10 runs the plugin once for many requests, and again after its token was refused', async () => {
    const good = new Set(['first', 'second']);
    const guarded = await startGuardedCluster(({ token = '' }) => good.has(token));
    const expirationTimestamp = new Date(Date.now() + 3_600_000).toISOString();
    const { user, become, runs } = await plugin({ token: 'first', expirationTimestamp });
    const connection = open(await contextFor(guarded, user));
    await Promise.all(Array.from({ length: 20 }, () => connection.send(list)));
    expect(await runs()).toBe(1);
    good.delete('first');
    await become({ token: 'second', expirationTimestamp });
    await Promise.all(Array.from({ length: 4 }, () => connection.send(list)));
    expect(await runs()).toBe(2);
    expect(guarded.callers.at(-1)?.token).toBe('second');
  });

  it('C-10 runs the plugin again only after its credentials have expired', async () => {
    const guarded = await startGuardedCluster(() => true);
    const clock = stopTheClock();
    const expirationTimestamp = new Date(Date.now() + 3_600_000).toISOString();
    const { user, runs } = await plugin({ token: 'first', expirationTimestamp });
    const connection = open(await contextFor(guarded, user));
    clock.advance(3_599);
    await connection.send(list);
    expect(await runs()).toBe(1);
    clock.advance(2);
    await connection.send(list);
    expect(await runs()).toBe(2);
  });

  it('C-10 uses certificates of the plugin, and newer ones after those were refused', async () => {
    const good = new Set(['first', 'second']);
    const guarded = await startGuardedCluster(({ certificate = '' }) => good.has(certificate));
    const issued = (name: string) => {
      const { certificate, key } = guarded.authority.issue(name);
      return { clientCertificateData: certificate, clientKeyData: key };
    };
    const { user, become } = await plugin(issued('first'));
    const connection = open(await contextFor(guarded, user));
    await connection.send(list);
    good.delete('first');
    await become(issued('second'));
    await Promise.all([connection.send(list), connection.send(list)]);
    expect(guarded.callers.at(-1)?.certificate).toBe('second');
  });
});

describe('inside the cluster', () => {
  /** Writes the files of a service account. */
  async function openServiceAccount() {
    const good = new Set(['first']);
    const guarded = await startGuardedCluster(({ token = '' }) => good.has(token));
    const account = await directory();
    await writeFile(join(account, 'ca.crt'), guarded.authority.certificate);
    const token = (text: string) => writeFile(join(account, 'token'), text);
    await token('first');
    const connection = open(await fromServiceAccount(guarded.url, account));
    return { good, guarded, token, connection };
  }

  it('C-10 the service account authenticates us, and its CA authenticates the cluster', async () => {
    const { connection, guarded } = await openServiceAccount();
    await connection.send(list);
    expect(guarded.callers).toEqual([{ token: 'first', certificate: undefined }]);
  });

  it('C-10 a renewed token is read after a minute', async () => {
    const { connection, guarded, token, good } = await openServiceAccount();
    const clock = stopTheClock();
    await connection.send(list);
    await token('second');
    good.add('second');
    clock.advance(61);
    await connection.send(list);
    expect(guarded.callers.at(-1)?.token).toBe('second');
    expect(guarded.refused()).toBe(0);
  });

  it('C-10 a renewed token is read at once if the old one is refused', async () => {
    const { connection, guarded, token, good } = await openServiceAccount();
    await connection.send(list);
    await token('second');
    good.clear();
    good.add('second');
    await connection.send(list);
    expect(guarded.callers.map((caller) => caller.token)).toEqual(['first', 'first', 'second']);
  });
});
