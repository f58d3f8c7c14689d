import type { RequestOptions } from 'node:https';
import type { KubeConfig } from '@kubernetes/client-node';
import { authenticator, hasCredentials } from './kube-user.ts';
import { type KubeUser, readKubeConfig } from './kubeconfig-files.ts';
import { isUnencrypted } from './plain-http.ts';
import { type Access, accessOf } from './request-options.ts';
import { safeMessageOf } from './safe-message.ts';
import { within } from './time-limit.ts';

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
export function readContext(context: string, files: readonly string[] | undefined): KubeContext {
  const config = load(files);
  choose(config, context);
  const server = serverOf(config, context);
  const user = userOf(config, context);
  if (isUnencrypted(server) && hasCredentials(user))
    throw new Error(
      `the credentials of context "${context}" are not sent to ${new URL(server).origin}, as they would travel unencrypted; give its cluster an https server`,
    );
  const authenticate = authenticator(config, user);
  return {
    server,
    async ask() {
      try {
        await authenticate();
        const options: RequestOptions = {};
        await within(timeoutMs, () => apply(config, options), slowProvider);
        return accessOf(options, user);
      } catch (cause) {
        const why = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`context "${context}" yields no credentials: ${why}`);
      }
    },
  };
}

function load(files: readonly string[] | undefined): KubeConfig {
  try {
    return readKubeConfig(files);
  } catch (cause) {
    throw new Error(`the kubeconfig cannot be read: ${safeMessageOf(cause)}`);
  }
}

/** The context that client-node makes up if it finds no kubeconfig. */
const clientNodeDefault = 'loaded-context';

function choose(config: KubeConfig, context: string): void {
  const known = config.getContexts().map(({ name }) => name);
  if (known.includes(clientNodeDefault))
    throw new Error('there is no kubeconfig; set KUBECONFIG or write ~/.kube/config');
  if (config.getContextObject(context) === null)
    throw new Error(
      `the kubeconfig has no context "${context}"; it has: ${known.join(', ') || 'none'}`,
    );
  config.setCurrentContext(context);
}

function serverOf(config: KubeConfig, context: string): string {
  const cluster = config.getCurrentCluster();
  if (!cluster) throw new Error(`context "${context}" names a cluster that the kubeconfig lacks`);
  const { protocol = '' } = URL.parse(cluster.server) ?? {};
  if (!['http:', 'https:'].includes(protocol))
    throw new Error(`the server of context "${context}" is not an http(s) address`);
  // client-node refuses plain HTTP (kubectl proxy, the local cluster) unless TLS verification is off.
  if (protocol === 'http:')
    config.clusters = config.clusters.map((one) => ({ ...one, skipTLSVerify: true }));
  return cluster.server;
}

/** Without a user, requests would be sent as `system:anonymous`, without the cluster's certificate authority. */
function userOf(config: KubeConfig, context: string): KubeUser {
  const user = config.getCurrentUser();
  if (user) return user;
  const named = config.getContextObject(context)?.user;
  const known = config.getUsers().map(({ name }) => name);
  const has = known.join(', ') || 'none';
  throw new Error(
    named
      ? `context "${context}" names the user "${named}", which the kubeconfig lacks; it has: ${has}`
      : `context "${context}" names no user; the kubeconfig has: ${has}`,
  );
}

async function apply(config: KubeConfig, options: RequestOptions): Promise<void> {
  try {
    await config.applyToHTTPSOptions(options);
  } catch (cause) {
    throw new Error(safeMessageOf(cause));
  }
}

const slowProvider = (): Error =>
  new Error(`the identity provider gave no token within ${timeoutMs / 1000} s`);
