import { isDeepStrictEqual } from 'node:util';
import type { Agent } from 'undici';
import { messageOf } from './errors.ts';
import { serviceAccountTokens } from './metadata-server.ts';

/** Where a cluster is and who we are there. */
export interface Credentials {
  readonly server: string;
  /** Another object once other certificates are to be used: see `authorization`. */
  readonly tls: NonNullable<Agent.Options['connect']> & object;
  /** The Authorization header, if any; `fresh` after a 401: whatever is cached has been refused. */
  readonly authorization: (fresh: boolean) => Promise<string | undefined>;
}

/** The environment does not lead to a cluster; names the variable and the remedy. */
export class CredentialsError extends Error {
  override readonly name = 'CredentialsError';
}

const tokenLifeMs = 60_000;

/**
 * A context of the kubeconfig (`files`; else `KUBECONFIG`, `~/.kube/config` or in-cluster), for a user
 * with `token` or `tokenFile`, a client certificate, `username` and `password`, an exec plugin that asks
 * nobody, or the auth-provider `oidc`; which of several counts is as with kubectl.
 *
 * Guarantees: after a refusal the kubeconfig is read again and a plugin run again, so that a token or
 * a certificate renewed there counts. It takes half a minute at most. A context without a user, a user
 * that acts as another (`as`) and a cluster behind a `proxy-url` are refused, so that we are never
 * nobody or somebody else unawares.
 * Caveats: an exec plugin is not told of the cluster (`provideClusterInfo`); the proxy variables of the
 * environment do not count.
 */
export async function fromContext(
  context: string,
  files?: readonly string[],
): Promise<Credentials> {
  // client-node takes longer to load than all the rest together.
  const { readContext } = await import('./kube-context.ts');
  const read = async () => readContext(context, files);
  let current = await read().catch(refuse);
  let { tls } = await current.ask().catch(refuse);
  return {
    server: current.server,
    get tls() {
      return tls;
    },
    authorization: cached(tokenLifeMs, async (fresh) => {
      if (fresh) current = await read().catch(refuse);
      const access = await current.ask().catch(refuse);
      if (!isDeepStrictEqual(access.tls, tls)) tls = access.tls;
      return access.authorization;
    }),
  };
}

function refuse(cause: unknown): never {
  throw new CredentialsError(`CLUSTER_CONTEXT: ${messageOf(cause)}`);
}

/**
 * A cluster's endpoint on Google Cloud, with the token of the function's own service account.
 * `ca` is PEM in base64, for an endpoint whose authority is not a public one.
 */
export function fromEndpoint(
  endpoint: string,
  ca: string | undefined,
  metadataServer?: string,
): Credentials {
  const token = serviceAccountTokens(metadataServer);
  return {
    server: endpoint.includes('://') ? endpoint : `https://${endpoint}`,
    tls: ca === undefined ? {} : { ca: Buffer.from(ca, 'base64').toString() },
    async authorization(fresh) {
      try {
        return `Bearer ${await token(fresh)}`;
      } catch (cause) {
        throw new CredentialsError(
          `CLUSTER_ENDPOINT: ${messageOf(cause)}; elsewhere than on Google Cloud use CLUSTER_CONTEXT`,
          { cause },
        );
      }
    },
  };
}

/** However many ask for a fresh one at once, they are given the same. */
function cached(
  lifeMs: number,
  ask: (fresh: boolean) => Promise<string | undefined>,
): Credentials['authorization'] {
  let last: { readonly value: Promise<string | undefined>; readonly until: number } | undefined;
  let renewing: Promise<string | undefined> | undefined;
  const renew = (): Promise<string | undefined> => {
    renewing ??= ask(true).finally(() => {
      renewing = undefined;
    });
    return renewing;
  };
  return async (fresh) => {
    if (fresh || last === undefined || Date.now() > last.until)
      last = { value: fresh ? renew() : ask(false), until: Date.now() + lifeMs };
    const asked = last;
    try {
      return await asked.value;
    } catch (error) {
      if (last === asked) last = undefined;
      throw error;
    }
  };
}
