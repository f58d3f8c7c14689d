import type { RequestOptions } from 'node:https';
import { isDeepStrictEqual } from 'node:util';
import type { KubeConfig } from '@kubernetes/client-node';
import type { Agent } from 'undici';
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
 * A context of the kubeconfig (`files`; else `KUBECONFIG`, `~/.kube/config` or in-cluster), with any
 * way to authenticate that it can hold: tokens, certificates, exec plugins.
 *
 * Guarantees: after a refusal the kubeconfig is read again and a plugin run again, so that a token or
 * a certificate renewed there counts.
 */
export async function fromContext(
  context: string,
  files?: readonly string[],
): Promise<Credentials> {
  let config = await loadContext(context, files);
  const ask = async (): Promise<RequestOptions> => {
    const options: RequestOptions = {};
    await config.applyToHTTPSOptions(options).catch((cause: unknown) => {
      throw new CredentialsError(
        `CLUSTER_CONTEXT: context "${context}" does not lead to credentials: ${whyOf(cause)}`,
        { cause },
      );
    });
    return options;
  };
  let tls = tlsOf(await ask());
  return {
    server: config.getCurrentCluster()?.server ?? '',
    get tls() {
      return tls;
    },
    authorization: cached(tokenLifeMs, async (fresh) => {
      if (fresh) config = await loadContext(context, files);
      const asked = await ask();
      const current = tlsOf(asked);
      if (!isDeepStrictEqual(current, tls)) tls = current;
      return headerOf(asked.headers, 'authorization');
    }),
  };
}

function tlsOf(options: RequestOptions): Credentials['tls'] {
  const { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername } = options;
  const wanted = { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername };
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
}

async function loadContext(context: string, files?: readonly string[]): Promise<KubeConfig> {
  const { createKubeConfig } = await import('./kube-config.ts');
  const config = createKubeConfig();
  try {
    if (files === undefined) config.loadFromDefault();
    for (const file of files ?? []) {
      const one = createKubeConfig();
      one.loadFromFile(file);
      config.mergeConfig(one, true);
    }
  } catch (cause) {
    throw new CredentialsError(`CLUSTER_CONTEXT: the kubeconfig cannot be read: ${whyOf(cause)}`, {
      cause,
    });
  }
  if (config.getContexts().some(({ name }) => name === clientNodeDefault)) {
    throw new CredentialsError(
      'CLUSTER_CONTEXT: there is no kubeconfig; set KUBECONFIG or write ~/.kube/config',
    );
  }
  if (config.getContextObject(context) === null) {
    const known = config.getContexts().map(({ name }) => name);
    throw new CredentialsError(
      `CLUSTER_CONTEXT: the kubeconfig has no context "${context}"; it has: ${known.join(', ') || 'none'}`,
    );
  }
  config.setCurrentContext(context);
  const cluster = config.getCurrentCluster();
  if (!cluster)
    throw new CredentialsError(
      `CLUSTER_CONTEXT: context "${context}" names a cluster that the kubeconfig lacks`,
    );
  // client-node refuses plain HTTP (kubectl proxy, the embedded cluster) unless told not to verify.
  if (cluster.server.startsWith('http://')) {
    config.clusters = config.clusters.map((one) => ({ ...one, skipTLSVerify: true }));
  }
  return config;
}

/** What client-node makes up where it finds no kubeconfig at all. */
const clientNodeDefault = 'loaded-context';

const whyOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

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
          `CLUSTER_ENDPOINT: ${whyOf(cause)}; elsewhere than on Google Cloud use CLUSTER_CONTEXT`,
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

function headerOf(headers: unknown, name: string): string | undefined {
  const found = Object.entries((headers ?? {}) as Record<string, unknown>).find(
    ([key]) => key.toLowerCase() === name,
  );
  return typeof found?.[1] === 'string' ? found[1] : undefined;
}
