import { isDeepStrictEqual } from 'node:util';
import { CredentialsError, messageOf } from '../cluster-errors.ts';
import type { Access } from './kube-context.ts';

/** `tls` changes if `authorization` reads new certificates. */
export interface Credentials extends Omit<Access, 'authorization' | 'expiresAt'> {
  /** Set `fresh` after a 401, to bypass cached credentials. */
  readonly authorization: (fresh: boolean) => Promise<string | undefined>;
}

const tokenLifeMs = 60_000;

/**
 * Reads the credentials of a kubeconfig context, with kubectl's precedence. `files` are the kubeconfigs to merge;
 * default: those in `KUBECONFIG`, or `~/.kube/config`.
 *
 * Guarantees: reads the kubeconfig again after a minute, or once the credentials of its exec plugin expire, and after a
 * 401. A changed server or proxy affects only later connections.
 */
export async function fromContext(
  context: string,
  files?: readonly string[],
): Promise<Credentials> {
  // Most installations use no kubeconfig.
  const { accessTo } = await import('./kube-context.ts');
  const current = renewed(async () => {
    const value = await accessTo(context, files).catch((cause: unknown) => {
      throw new CredentialsError(`CLUSTER_CONTEXT: ${messageOf(cause)}`, { cause });
    });
    const refreshAt = value.expiresAt ?? Date.now() + tokenLifeMs;
    return { value, refreshAt, expiresAt: refreshAt + tokenLifeMs };
  });
  let access = await current(false);
  const { server, proxy } = access;
  return {
    server,
    proxy,
    get tls() {
      return access.tls;
    },
    get impersonation() {
      return access.impersonation;
    },
    async authorization(fresh) {
      const latest = await current(fresh);
      const tls = isDeepStrictEqual(latest.tls, access.tls) ? access.tls : latest.tls;
      access = { ...latest, tls };
      return access.authorization;
    },
  };
}

/** In milliseconds since the epoch. */
export interface Perishable<T> {
  readonly value: T;
  readonly refreshAt: number;
  /** Until then, the value is used if a new read fails. */
  readonly expiresAt: number;
}

/**
 * Reads the value at the first call, after `refreshAt`, and if `fresh` is set. Concurrent calls share a read. If a read
 * without `fresh` fails, the last value serves until it expires.
 */
export function renewed<T>(read: () => Promise<Perishable<T>>): (fresh: boolean) => Promise<T> {
  let kept: Perishable<T> | undefined;
  let underWay: Promise<Perishable<T>> | undefined;
  return async (fresh) => {
    if (!fresh && kept !== undefined && Date.now() < kept.refreshAt) return kept.value;
    try {
      underWay ??= read().finally(() => {
        underWay = undefined;
      });
      kept = await underWay;
    } catch (error) {
      if (fresh || kept === undefined || Date.now() >= kept.expiresAt) throw error;
    }
    return kept.value;
  };
}
