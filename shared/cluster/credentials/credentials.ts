import { isDeepStrictEqual } from 'node:util';
import { CredentialsError, messageOf } from '../cluster-errors.ts';
import type { Access } from './kube-context.ts';

/** `tls` changes if `authorization` reads new certificates. */
export interface Credentials extends Omit<Access, 'authorization'> {
  /** Set `fresh` after a 401, to bypass cached credentials. */
  readonly authorization: (fresh: boolean) => Promise<string | undefined>;
}

const tokenLifeMs = 60_000;

/**
 * Reads the credentials of a kubeconfig context, with kubectl's precedence. `files` are the kubeconfigs to merge;
 * default: those in `KUBECONFIG`, or `~/.kube/config`.
 *
 * Guarantees: reads the kubeconfig again after a minute and after a 401, and then also runs the exec plugin again. A
 * changed server or proxy affects only later connections.
 */
export async function fromContext(
  context: string,
  files?: readonly string[],
): Promise<Credentials> {
  // Most installations use no kubeconfig.
  const { readContext } = await import('./kube-context.ts');
  let reader: ReturnType<typeof readContext> | undefined;
  const read = async (fresh: boolean): Promise<Access> => {
    try {
      const latest = readContext(context, files);
      // A reader keeps an exec plugin's credentials.
      if (fresh || !isDeepStrictEqual(latest.entries, reader?.entries)) reader = latest;
      return await (reader ?? latest).authenticate();
    } catch (cause) {
      throw new CredentialsError(`CLUSTER_CONTEXT: ${messageOf(cause)}`, { cause });
    }
  };
  let access = await read(false);
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
    authorization: renewed(async (fresh) => {
      const latest = await read(fresh);
      const tls = isDeepStrictEqual(latest.tls, access.tls) ? access.tls : latest.tls;
      access = { ...latest, tls };
      const refreshAt = Date.now() + tokenLifeMs;
      return { value: latest.authorization, refreshAt, expiresAt: refreshAt + tokenLifeMs };
    }),
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
 * Reads the value when first needed, after `refreshAt` and with `fresh`. Concurrent calls share a read, but a call with
 * `fresh` joins only a read with `fresh`. If a read without `fresh` fails, the last value serves until it expires.
 */
export function renewed<T>(
  read: (fresh: boolean) => Promise<Perishable<T>>,
): (fresh: boolean) => Promise<T> {
  let kept: Perishable<T> | undefined;
  const underWay = new Map<boolean, Promise<Perishable<T>>>();
  const renew = (fresh: boolean): Promise<Perishable<T>> => {
    const joined = underWay.get(true) ?? underWay.get(fresh);
    if (joined !== undefined) return joined;
    const reading = read(fresh).finally(() => underWay.delete(fresh));
    underWay.set(fresh, reading);
    return reading;
  };
  return async (fresh) => {
    if (!fresh && kept !== undefined && Date.now() < kept.refreshAt) return kept.value;
    try {
      kept = await renew(fresh);
    } catch (error) {
      if (fresh || kept === undefined || Date.now() >= kept.expiresAt) throw error;
    }
    return kept.value;
  };
}
