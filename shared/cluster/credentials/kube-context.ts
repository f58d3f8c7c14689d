import { messageOf } from '../cluster-errors.ts';
import { parseProxy } from '../http/proxy.ts';
import { isUnencrypted } from '../http/transport.ts';
import { type Access, authenticator, hasCredentials } from './kube-user.ts';
import { fieldOf, type Kubeconfig, type KubeconfigEntry, readKubeconfig } from './kubeconfig.ts';

/**
 * Reads a context. `ask`, in the result, gets the user's current credentials. `files` are the kubeconfigs to merge;
 * default: those in `KUBECONFIG`, or `~/.kube/config`.
 *
 * Guarantees: an error says what is wrong and where, but quotes neither the kubeconfig nor the output of a plugin
 * or server, which may contain a token. Nothing takes longer than half a minute.
 */
export async function readContext(context: string, files: readonly string[] | undefined) {
  const { server, cluster, user } = choose(readKubeconfig(files), context);
  if (isUnencrypted(server) && hasCredentials(user))
    throw new Error(
      `the credentials of context "${context}" are not sent to ${new URL(server).origin}, because they would travel unencrypted; give its cluster an https server`,
    );
  const address = fieldOf(cluster, 'proxy-url');
  const proxy =
    address === undefined
      ? undefined
      : parseProxy(address, `proxy-url of cluster "${cluster.name}"`);
  const authenticate = authenticator(cluster, user);
  const ask = (): Promise<Access> =>
    authenticate().catch((cause: unknown) => {
      throw new Error(`context "${context}" yields no credentials: ${messageOf(cause)}`);
    });
  return { server, proxy, ask };
}

function choose({ contexts, clusters, users }: Kubeconfig, context: string) {
  if (contexts.length === 0)
    throw new Error(
      'there is no kubeconfig with a context; set KUBECONFIG or write ~/.kube/config',
    );
  const chosen = contexts.find(({ name }) => name === context);
  if (chosen === undefined)
    throw new Error(`the kubeconfig has no context "${context}"; it has: ${namesOf(contexts)}`);
  const clusterName = fieldOf(chosen, 'cluster');
  const cluster = clusters.find(({ name }) => name === clusterName);
  if (cluster === undefined)
    throw new Error(`context "${context}" names a cluster that the kubeconfig lacks`);
  const server = fieldOf(cluster, 'server') ?? '';
  if (!['http:', 'https:'].includes(URL.parse(server)?.protocol ?? ''))
    throw new Error(`the server of context "${context}" is not an http(s) address`);
  const user = users.find(({ name }) => name === chosen.fields.user);
  if (user !== undefined) return { server, cluster, user };
  // Refuses a context without a user, because its requests would be sent as `system:anonymous`.
  const userName = fieldOf(chosen, 'user');
  const problem =
    userName === undefined
      ? 'names no user; the kubeconfig has'
      : `names the user "${userName}", which the kubeconfig lacks; it has`;
  throw new Error(`context "${context}" ${problem}: ${namesOf(users)}`);
}

const namesOf = (entries: readonly KubeconfigEntry[]): string =>
  [...new Set(entries.map(({ name }) => name))].join(', ') || 'none';
