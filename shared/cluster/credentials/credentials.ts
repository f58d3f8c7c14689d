import { CredentialsError, messageOf } from '../cluster-errors.ts';
import type { Access } from './kube-context.ts';

export interface Credentials {
  readonly server: string;
  /** Replaces the environment's proxy. */
  readonly proxy?: URL | undefined;
  /** Set `fresh` after a 401, to bypass cached credentials. */
  readonly access: (fresh: boolean) => Promise<Access>;
}

const tokenLifeMs = 60_000;

/**
 * Reads the credentials of a kubeconfig context, with kubectl's precedence. `files` are the kubeconfigs to merge;
 * default: those in `KUBECONFIG`, or `~/.kube/config`.
 *
 * Guarantees: reads the kubeconfig again after a 401, and after a minute or, with an exec plugin, once its credentials
 * expire. A changed server or proxy affects only later connections.
 */
export async function fromContext(
  context: string,
  files?: readonly string[],
): Promise<Credentials> {
  // Imports the module only here, because most installations use no kubeconfig.
  const { accessTo } = await import('./kube-context.ts');
  const access = renewed(async () => {
    const { expiresAt, ...value } = await accessTo(context, files).catch((cause: unknown) => {
      throw new CredentialsError(`CLUSTER_CONTEXT: ${messageOf(cause)}`, { cause });
    });
    const refreshAt = expiresAt ?? Date.now() + tokenLifeMs;
    return { value, refreshAt, expiresAt: refreshAt + tokenLifeMs };
  });
  const { server, proxy } = await access(false);
  return { server, proxy, access };
}

/** A value that expires. Times are in milliseconds since the epoch. */
export interface Perishable<T> {
  readonly value: T;
  readonly refreshAt: number;
  /** The time until which the value is used if a new read fails. */
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
