import { mkdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { CredentialsError, UnreachableError } from '../../shared/cluster/cluster-errors.ts';
import { fromServiceAccount } from '../../shared/cluster/credentials/service-account.ts';
import { createAuthority } from '../support/certificates.ts';
import { startGuardedCluster } from '../support/guarded-cluster.ts';
import { directory, list, open, stopTheClock } from './access.ts';

interface Volume {
  readonly path: string;
  /** Replaces both files atomically, as the kubelet does. */
  readonly write: (token: string, ca: string) => Promise<void>;
}

async function volume(): Promise<Volume> {
  const path = await directory();
  let version = 0;
  return {
    path,
    async write(token, ca) {
      const data = join(path, `..data-${++version}`);
      await mkdir(data);
      await writeFile(join(data, 'token'), token);
      await writeFile(join(data, 'ca.crt'), ca);
      await symlink(data, join(path, '..next'));
      await rename(join(path, '..next'), join(path, '..data'));
      for (const name of version === 1 ? ['token', 'ca.crt'] : [])
        await symlink(join('..data', name), join(path, name));
    },
  };
}

/** Sets up a pod whose token is `one`, and a cluster that admits the tokens in `good`. */
async function openPod() {
  const good = new Set(['one', 'two']);
  const guarded = await startGuardedCluster(({ token = '' }) => good.has(token));
  const { certificate } = guarded.authority;
  const mounted = await volume();
  await mounted.write('one\n', certificate);
  const connection = open(await fromServiceAccount(guarded.url, mounted.path));
  const tokens = () => guarded.callers.map(({ token }) => token);
  return { good, guarded, mounted, certificate, connection, tokens };
}

describe("a pod's service account", () => {
  it('C-10 reaches the cluster over TLS with the mounted CA', async () => {
    const { connection, guarded, tokens } = await openPod();
    await connection.send(list);
    expect({ tokens: tokens(), refused: guarded.refused() }).toEqual({
      tokens: ['one'],
      refused: 0,
    });
  });

  it('C-10 reads a renewed token within a minute', async () => {
    const { connection, mounted, certificate, guarded, tokens } = await openPod();
    const clock = stopTheClock();
    await mounted.write('two', certificate);
    clock.advance(59);
    await connection.send(list);
    clock.advance(2);
    await connection.send(list);
    expect({ tokens: tokens(), refused: guarded.refused() }).toEqual({
      tokens: ['one', 'two'],
      refused: 0,
    });
  });

  it('C-10 reads a renewed token at once if the old one is refused', async () => {
    const { connection, mounted, certificate, good, tokens } = await openPod();
    await mounted.write('two', certificate);
    good.delete('one');
    await Promise.all([connection.send(list), connection.send(list)]);
    expect(tokens().filter((token) => token === 'two')).toHaveLength(2);
  });

  it('C-10 uses a renewed CA without a refusal, because a failed handshake is not a 401', async () => {
    const { mounted, guarded, certificate } = await openPod();
    await mounted.write('one', createAuthority('the old one').certificate);
    const connection = open(await fromServiceAccount(guarded.url, mounted.path));
    const clock = stopTheClock();
    await expect(connection.send(list)).rejects.toBeInstanceOf(UnreachableError);
    await mounted.write('one', certificate);
    clock.advance(61);
    await connection.send(list);
    expect(guarded.refused()).toBe(0);
  });

  it('sends its token to no server with a public certificate if the mounted CA is empty', async () => {
    const { mounted, guarded, certificate, tokens } = await openPod();
    await mounted.write('one', '');
    const usual = getCACertificates('default');
    setDefaultCACertificates([certificate]);
    try {
      const connection = open(await fromServiceAccount(guarded.url, mounted.path));
      await expect(connection.send(list)).rejects.toBeInstanceOf(UnreachableError);
    } finally {
      setDefaultCACertificates(usual);
    }
    expect(tokens()).toEqual([]);
  });

  it('keeps the old token and CA while the files are unreadable', async () => {
    const { connection, mounted, certificate, tokens } = await openPod();
    const clock = stopTheClock();
    await rm(join(mounted.path, '..data'));
    clock.advance(61);
    await connection.send(list);
    await mounted.write('two', certificate);
    await connection.send(list);
    expect(tokens()).toEqual(['one', 'two']);
  });

  it('fails with the name of the file if the token is refused and no new one can be read', async () => {
    const { connection, mounted, good } = await openPod();
    await rm(join(mounted.path, '..data'));
    good.delete('one');
    const error = await connection.send(list).catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(CredentialsError);
    expect((error as Error).message).toMatch(/\/(token|ca\.crt) cannot be read \(ENOENT\); mount/);
  });
});

it('a service account that is not mounted fails the first request with the reason', async () => {
  const { path } = await volume();
  const error = await fromServiceAccount('https://10.96.0.1:443', path).catch(
    (cause: unknown) => cause,
  );
  expect(error).toBeInstanceOf(CredentialsError);
  expect((error as Error).message).toMatch(
    /^the pod's service account cannot be used: .*cannot be read \(ENOENT\); mount its token/,
  );
});
