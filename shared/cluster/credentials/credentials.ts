import { isDeepStrictEqual } from 'node:util';
import { CredentialsError, messageOf } from '../cluster-errors.ts';
import type { RequestHeaders, TlsOptions } from '../http/transport.ts';
import { renewed } from './renewed.ts';

/** A cluster's address and how to authenticate to it. */
export interface Credentials {
  readonly server: string;
  /** The proxy that the kubeconfig sets, which replaces the environment's. */
  readonly proxy?: URL | undefined;
  /** The TLS options; a new object each time `authorization` has read other certificates. */
  readonly tls: TlsOptions;
  /** Headers that impersonate another user, such as `Impersonate-User`. */
  readonly impersonation?: RequestHeaders;
  /** Returns the Authorization header, if any. Set `fresh` after a 401, to bypass cached credentials. */
  readonly authorization: (fresh: boolean) => Promise<string | undefined>;
}

const tokenLifeMs = 60_000;

/**
 * Reads the credentials of a kubeconfig context. `files` are the kubeconfigs to merge; default: those in
 * `KUBECONFIG`, or `~/.kube/config`. The user may have a `token` or `tokenFile`, a client certificate, `username`
 * and `password`, a non-interactive exec plugin or the auth-provider `oidc`, with kubectl's precedence, and may
 * impersonate another user.
 *
 * Guarantees: after a 401 the kubeconfig is read and the exec plugin run again, within half a minute, so that
 * renewed tokens and certificates are used. A context without a user is refused, so that no request is sent as the
 * anonymous user.
 */
export async function fromContext(
  context: string,
  files?: readonly string[],
): Promise<Credentials> {
  // Imported only when needed: most installations use no kubeconfig.
  const { readContext } = await import('./kube-context.ts');
  const read = async () => readContext(context, files);
  let current = await read().catch(refuse);
  let access = await current.ask().catch(refuse);
  const { server, proxy } = current;
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
      if (fresh) current = await read().catch(refuse);
      const latest = await current.ask().catch(refuse);
      const tls = isDeepStrictEqual(latest.tls, access.tls) ? access.tls : latest.tls;
      access = { ...latest, tls };
      const expiresAt = Date.now() + tokenLifeMs;
      return { value: latest.authorization, refreshAt: expiresAt, expiresAt };
    }),
  };
}

function refuse(cause: unknown): never {
  throw new CredentialsError(`CLUSTER_CONTEXT: ${messageOf(cause)}`);
}
