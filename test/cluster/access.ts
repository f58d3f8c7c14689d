import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import type { Credentials } from '../../shared/cluster/credentials/credentials.ts';
import { type Connection, connect } from '../../shared/cluster/http/connection.ts';

export const list = { method: 'GET', path: '/api/v1/namespaces', what: 'list namespaces' } as const;

/** Opens a connection that is closed at the end of the test. */
export function open(credentials: Credentials): Connection {
  const connection = connect(credentials);
  onTestFinished(connection.close);
  return connection;
}

/** Creates a directory that is removed at the end of the test. */
export async function directory(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'access-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

export const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** Stops the clock for the rest of the test; `advance` moves it. */
export function stopTheClock(): { readonly advance: (seconds: number) => void } {
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => {
    vi.useRealTimers();
  });
  return { advance: (seconds) => vi.setSystemTime(Date.now() + seconds * 1000) };
}
