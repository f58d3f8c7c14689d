import { messageOf } from '../cluster-errors.ts';
import { parseProxy } from '../http/proxy.ts';
import { isUnencrypted } from '../http/transport.ts';
import { type Access, authenticator, hasCredentials } from './kube-user.ts';
import { fieldOf, type Kubeconfig, type KubeconfigEntry, readKubeconfig } from './kubeconfig.ts';

/** A context of the kubeconfig, with its cluster and user. */
interface KubeContext {
  readonly server: string;
  readonly proxy: URL | undefined;
  /** Returns the user's current credentials. */
  readonly ask: () => Promise<Access>;
}

/**
 * Reads a context. `files` are the kubeconfigs to merge; default: those in `KUBECONFIG`, or `~/.kube/config`.
 *
 * Guarantees: an error says what is wrong and where, but quotes neither the kubeconfig nor the output of a
 * plugin or server, which may contain a token. Nothing takes longer than half a minute.
 */
export async function readContext(
  context: string,
  files: readonly string[] | undefined,
): Promise<KubeContext> {
  const { server, cluster, user } = choose(readKubeconfig(files), context);
  if (isUnencrypted(server) && hasCredentials(user))
    throw new Error(
      `the credentials of context "${context}" are not sent to ${new URL(server).origin}, because they would travel unencrypted; give its cluster an https server`,
    );
  const proxy = fieldOf(cluster, 'proxy-url');
  const authenticate = authenticator(cluster, user);
  return {
    server,
    proxy:
      proxy === undefined ? undefined : parseProxy(proxy, `proxy-url of cluster "${cluster.name}"`),
    async ask() {
      try {
        return await authenticate();
      } catch (cause) {
        throw new Error(`context "${context}" yields no credentials: ${messageOf(cause)}`);
      }
    },
  };
}

interface Chosen {
  readonly server: string;
  readonly cluster: KubeconfigEntry;
  readonly user: KubeconfigEntry;
}

function choose({ contexts, clusters, users }: Kubeconfig, context: string): Chosen {
  if (contexts.length === 0)
    throw new Error(
      'there is no kubeconfig with a context; set KUBECONFIG or write ~/.kube/config',
    );
  const chosen = contexts.find(({ name }) => name === context);
  if (chosen === undefined)
    throw new Error(`the kubeconfig has no context "${context}"; it has: ${namesOf(contexts)}`);
  const named = fieldOf(chosen, 'cluster');
  const cluster = clusters.find(({ name }) => name === named);
  if (cluster === undefined)
    throw new Error(`context "${context}" names a cluster that the kubeconfig lacks`);
  const server = fieldOf(cluster, 'server') ?? '';
  if (!['http:', 'https:'].includes(URL.parse(server)?.protocol ?? ''))
    throw new Error(`the server of context "${context}" is not an http(s) address`);
  const user = users.find(({ name }) => name === chosen.fields.user);
  if (user === undefined) throw noUser(context, fieldOf(chosen, 'user'), users);
  return { server, cluster, user };
}

/** Refuses a context without a user, because its requests would be sent as `system:anonymous`. */
const noUser = (
  context: string,
  named: string | undefined,
  users: readonly KubeconfigEntry[],
): Error =>
  new Error(
    named === undefined
      ? `context "${context}" names no user; the kubeconfig has: ${namesOf(users)}`
      : `context "${context}" names the user "${named}", which the kubeconfig lacks; it has: ${namesOf(users)}`,
  );

const namesOf = (entries: readonly KubeconfigEntry[]): string =>
  [...new Set(entries.map(({ name }) => name))].join(', ') || 'none';
