import { describe, expect, it } from 'vitest';
import { UnreachableError } from '../../shared/cluster/cluster-errors.ts';
import { fromEndpoint } from '../../shared/google/metadata-server.ts';
import { base64, list, open, stopTheClock } from '../cluster/access.ts';
import { startApiEndpoint } from '../support/api-endpoint.ts';
import { createAuthority } from '../support/certificates.ts';
import { startGuardedCluster } from '../support/guarded-cluster.ts';
import { type MetadataOptions, startMetadataServer } from '../support/metadata-server.ts';

describe('an endpoint on Google Cloud', () => {
  /** Starts an API server that admits the tokens in `good`, and a metadata server that returns `token-1`, `token-2`, … */
  async function openServers(options: Partial<MetadataOptions> = {}) {
    const good = new Set(['token-1', 'token-2', 'token-3']);
    const guarded = await startGuardedCluster(({ token = '' }) => good.has(token));
    const metadata = await startMetadataServer({
      token: (number) => ({ access_token: `token-${number}`, expires_in: 3599 }),
      ...options,
    });
    const ca = base64(guarded.authority.certificate);
    const connection = open(fromEndpoint(guarded.url, ca, metadata.url));
    return { good, guarded, metadata, connection };
  }

  it('is a host name or an address', () => {
    expect(fromEndpoint('gke-1.gke.goog', undefined).server).toBe('https://gke-1.gke.goog');
    expect(fromEndpoint('https://10.0.0.1', undefined).server).toBe('https://10.0.0.1');
  });

  it('C-10 is reached with one token, even if the metadata server is still starting', async () => {
    const { connection, metadata, guarded } = await openServers({ busyFor: 2 });
    await Promise.all(Array.from({ length: 20 }, () => connection.send(list)));
    expect(metadata.given()).toBe(1);
    expect(guarded.refused()).toBe(0);
    expect(new Set(guarded.callers.map(({ token }) => token))).toEqual(new Set(['token-1']));
  });

  it('C-10 gets a new token before the old one expires', async () => {
    const { connection, metadata, guarded, good } = await openServers();
    const clock = stopTheClock();
    await connection.send(list);
    clock.advance(3599 - 5 * 60 - 1);
    await connection.send(list);
    expect(metadata.given()).toBe(1);
    clock.advance(2);
    good.delete('token-1');
    await Promise.all([connection.send(list), connection.send(list)]);
    expect(metadata.given()).toBe(2);
    expect(guarded.refused()).toBe(0);
  });

  it('does not request a token for each request while the current one is about to expire', async () => {
    const { connection, metadata } = await openServers({
      token: (number) => ({ access_token: `token-${number}`, expires_in: 200 }),
    });
    for (let sent = 0; sent < 5; sent++) await connection.send(list);
    expect(metadata.given()).toBe(1);
  });

  it('C-10 uses the old token while it is valid if no new one is available', async () => {
    let isDown = false;
    const { connection, guarded } = await openServers({
      token: (number) => {
        if (isDown) return { access_token: '', expires_in: 0 };
        return { access_token: `token-${number}`, expires_in: 3599 };
      },
    });
    const clock = stopTheClock();
    await connection.send(list);
    isDown = true;
    clock.advance(3599 - 60);
    await connection.send(list);
    expect(guarded.callers.at(-1)?.token).toBe('token-1');
    clock.advance(61);
    await expect(connection.send(list)).rejects.toThrow(
      'the response of the metadata server is not a token',
    );
  });

  it('C-10 requests only one new token after a refusal', async () => {
    const { connection, metadata, guarded, good } = await openServers();
    await connection.send(list);
    good.delete('token-1');
    await connection.send(list);
    expect([metadata.given(), guarded.refused()]).toEqual([2, 1]);
    good.clear();
    await expect(connection.send(list)).rejects.toMatchObject({ code: 401 });
    expect([metadata.given(), guarded.refused()]).toEqual([3, 3]);
  });

  it('C-10 is not reached if it has another CA', async () => {
    const { guarded, metadata } = await openServers();
    const ca = base64(createAuthority('another').certificate);
    const error = await open(fromEndpoint(guarded.url, ca, metadata.url))
      .send(list)
      .catch((cause: unknown) => cause);
    expect(error).toBeInstanceOf(UnreachableError);
    expect(guarded.callers).toEqual([]);
  });

  it('is not reached without a token', async () => {
    const { guarded } = await openServers();
    await expect(
      fromEndpoint('10.0.0.1', undefined, guarded.cluster.url).access(false),
    ).rejects.toThrow(/^CLUSTER_ENDPOINT: the metadata server issued no token: HTTP 404/);
  });

  it('accepts a token only from a metadata server', async () => {
    const { url } = await startApiEndpoint(() => ({
      body: { access_token: 'token-1', expires_in: 3599 },
    }));
    await expect(fromEndpoint('10.0.0.1', undefined, url).access(false)).rejects.toThrow(
      `CLUSTER_ENDPOINT: the server at ${url} is not a metadata server`,
    );
  });
});
