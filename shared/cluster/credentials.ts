import type { KubeConfig } from '@kubernetes/client-node';
import type { Agent } from 'undici';

/** Where a cluster is and who we are there. */
export interface Credentials {
  readonly server: string;
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
 * Guarantees: after a refusal the kubeconfig is read again, so that a token renewed there counts.
 * Caveats: what an exec plugin returned is kept by client-node until the time it expires by itself.
 */
export async function fromContext(
  context: string,
  files?: readonly string[],
): Promise<Credentials> {
  let config = await loadContext(context, files);
  const ask = async () => {
    const options: Parameters<typeof config.applyToHTTPSOptions>[0] = {};
    await config.applyToHTTPSOptions(options).catch((cause: unknown) => {
      throw new CredentialsError(
        `CLUSTER_CONTEXT: context "${context}" does not lead to credentials: ${whyOf(cause)}`,
        { cause },
      );
    });
    return options;
  };
  const { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername } = await ask();
  return {
    server: config.getCurrentCluster()?.server ?? '',
    tls: defined({ ca, cert, key, pfx, passphrase, rejectUnauthorized, servername }),
    authorization: cached(tokenLifeMs, async (fresh) => {
      if (fresh) config = await loadContext(context, files);
      return headerOf((await ask()).headers, 'authorization');
    }),
  };
}

async function loadContext(context: string, files?: readonly string[]): Promise<KubeConfig> {
  const { KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  try {
    if (files === undefined) config.loadFromDefault();
    for (const file of files ?? []) {
      const one = new KubeConfig();
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

const metadataToken =
  'http://metadata.google.internal/computeMetadata/v1/instance/service-accounts/default/token?scopes=https://www.googleapis.com/auth/cloud-platform,https://www.googleapis.com/auth/userinfo.email';
const refreshBeforeMs = 5 * 60_000;

/** A cluster's endpoint on Google Cloud, with the token of the function's own service account. */
export function fromEndpoint(endpoint: string, ca: string | undefined): Credentials {
  let token: { readonly header: string; readonly until: number } | undefined;
  return {
    server: endpoint.includes('://') ? endpoint : `https://${endpoint}`,
    tls: ca === undefined ? {} : { ca: Buffer.from(ca, 'base64').toString() },
    async authorization(fresh) {
      if (fresh || token === undefined || Date.now() > token.until)
        token = await askMetadataServer();
      return token.header;
    },
  };
}

async function askMetadataServer() {
  const response = await fetch(metadataToken, { headers: { 'metadata-flavor': 'Google' } }).catch(
    (cause: unknown) => {
      throw new CredentialsError(
        'CLUSTER_ENDPOINT needs the metadata server of Google Cloud, which does not answer; elsewhere use CLUSTER_CONTEXT',
        { cause },
      );
    },
  );
  if (!response.ok)
    throw new CredentialsError(
      `the metadata server refused a token: HTTP ${response.status}; has the function a service account?`,
    );
  const { access_token, expires_in } = (await response.json()) as {
    access_token: string;
    expires_in: number;
  };
  return {
    header: `Bearer ${access_token}`,
    until: Date.now() + expires_in * 1000 - refreshBeforeMs,
  };
}

function cached(
  lifeMs: number,
  ask: (fresh: boolean) => Promise<string | undefined>,
): Credentials['authorization'] {
  let last: { readonly value: Promise<string | undefined>; readonly until: number } | undefined;
  return async (fresh) => {
    if (fresh || last === undefined || Date.now() > last.until)
      last = { value: ask(fresh), until: Date.now() + lifeMs };
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

const defined = (options: Record<string, unknown>): Credentials['tls'] =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
