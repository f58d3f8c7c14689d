import type { RequestOptions } from 'node:https';
import type { Cluster, KubeConfig } from '@kubernetes/client-node';
import { authenticator, hasCredentials } from './kube-user.ts';
import { type Kubeconfig, type KubeUser, readKubeconfig } from './kubeconfig-files.ts';
import { type Access, accessOf, requestOptions } from './request-options.ts';
import { safeMessageOf } from './safe-message.ts';
import { within } from './time-limit.ts';
import { isUnencrypted } from './transport.ts';

/** A context of the kubeconfig as it was read. */
export interface KubeContext {
  readonly server: string;
  /** Gets the user's credentials; an exec plugin runs again once they have expired. */
  readonly ask: () => Promise<Access>;
}

/** How long an identity provider may take. */
const timeoutMs = 30_000;

/**
 * Reads a context from `files`, or else from `KUBECONFIG`, `~/.kube/config` or the cluster we run in.
 *
 * Guarantees: an error says what is wrong and where, but quotes neither the kubeconfig nor the output of
 * a plugin or server, which may contain a token. Nothing takes longer than half a minute.
 */
export async function readContext(
  context: string,
  files: readonly string[] | undefined,
): Promise<KubeContext> {
  const { cluster, user } = choose(await load(files), context);
  const { server } = cluster;
  if (isUnencrypted(server) && hasCredentials(user))
    throw new Error(
      `the credentials of context "${context}" are not sent to ${new URL(server).origin}, as they would travel unencrypted; give its cluster an https server`,
    );
  const authenticate = authenticator(cluster, user);
  const optionsOf = requester(cluster);
  return {
    server,
    async ask() {
      try {
        const authenticated = await authenticate();
        const options = await within(timeoutMs, () => optionsOf(authenticated), slowProvider);
        return accessOf(options, user);
      } catch (cause) {
        const why = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`context "${context}" yields no credentials: ${why}`);
      }
    },
  };
}

async function load(files: readonly string[] | undefined): Promise<Kubeconfig> {
  try {
    return await readKubeconfig(files);
  } catch (cause) {
    throw new Error(`the kubeconfig cannot be read: ${safeMessageOf(cause)}`);
  }
}

interface Chosen {
  readonly cluster: Cluster;
  readonly user: KubeUser;
}

/** The context that client-node makes up if it finds no kubeconfig. */
const clientNodeDefault = 'loaded-context';

function choose({ contexts, clusters, users }: Kubeconfig, context: string): Chosen {
  const known = contexts.map(({ name }) => name);
  if (known.includes(clientNodeDefault))
    throw new Error('there is no kubeconfig; set KUBECONFIG or write ~/.kube/config');
  const chosen = contexts.find(({ name }) => name === context);
  if (chosen === undefined)
    throw new Error(
      `the kubeconfig has no context "${context}"; it has: ${known.join(', ') || 'none'}`,
    );
  const cluster = clusters.find(({ name }) => name === chosen.cluster);
  if (cluster === undefined)
    throw new Error(`context "${context}" names a cluster that the kubeconfig lacks`);
  const { protocol = '' } = URL.parse(cluster.server) ?? {};
  if (!['http:', 'https:'].includes(protocol))
    throw new Error(`the server of context "${context}" is not an http(s) address`);
  const user = users.find(({ name }) => name === chosen.user);
  if (user === undefined) throw noUser(context, chosen.user, users);
  // client-node refuses plain HTTP (kubectl proxy, the local cluster) unless TLS verification is off.
  return { cluster: protocol === 'http:' ? { ...cluster, skipTLSVerify: true } : cluster, user };
}

/** Without a user, requests would be sent as `system:anonymous`. */
function noUser(context: string, named: string | undefined, users: readonly KubeUser[]): Error {
  const has = users.map(({ name }) => name).join(', ') || 'none';
  return new Error(
    named
      ? `context "${context}" names the user "${named}", which the kubeconfig lacks; it has: ${has}`
      : `context "${context}" names no user; the kubeconfig has: ${has}`,
  );
}

/** An auth-provider keeps the token that it got, and is the only part that needs client-node. */
function requester(cluster: Cluster): (user: KubeUser) => Promise<RequestOptions> {
  let config: KubeConfig | undefined;
  return async (user) => {
    try {
      if (!user.authProvider) return requestOptions(cluster, user);
      config ??= (await import('./kube-config.ts')).createKubeConfig();
      config.loadFromClusterAndUser(cluster, user);
      const options: RequestOptions = {};
      await config.applyToHTTPSOptions(options);
      return options;
    } catch (cause) {
      throw new Error(safeMessageOf(cause));
    }
  };
}

const slowProvider = (): Error =>
  new Error(`the identity provider gave no token within ${timeoutMs / 1000} s`);
