import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { isFields, present } from '../../json.ts';
import { quote } from '../../printable.ts';
import { messageOf } from '../cluster-errors.ts';
import { parseProxy } from '../http/proxy.ts';
import type { RequestHeaders, TlsOptions } from '../http/transport.ts';
import { type PluginCredential, runPlugin } from './exec-plugin.ts';
import {
  bytesOf,
  filePath,
  type Kubeconfig,
  type KubeconfigEntry,
  readKubeconfig,
  textOf,
} from './kubeconfig.ts';

/** The credentials and TLS options of a request. */
export interface Access {
  readonly authorization: string | undefined;
  readonly tls: TlsOptions;
  /** Such as `Impersonate-User`. */
  readonly impersonation?: RequestHeaders | undefined;
}

interface ContextAccess extends Access {
  readonly server: string;
  readonly proxy: URL | undefined;
  /** When the credentials of an exec plugin expire, in milliseconds since the epoch. */
  readonly expiresAt?: number | undefined;
}

/** No error quotes credentials or the output of a plugin. */
export async function accessTo(
  context: string,
  files: readonly string[] | undefined,
): Promise<ContextAccess> {
  const { server, cluster, user } = choose(readKubeconfig(files), context);
  const address = textOf(cluster, 'proxy-url');
  const setting = `proxy-url of cluster "${cluster.name}"`;
  try {
    const { token, expiresAt, ...given } = await credentialsOf(user);
    return {
      server,
      proxy: address === undefined ? undefined : parseProxy(address, setting),
      tls: tlsOf(cluster, user, given),
      authorization: authorizationOf(user, token),
      impersonation: impersonationOf(user),
      expiresAt,
    };
  } catch (cause) {
    throw new Error(`context "${context}" yields no credentials: ${messageOf(cause)}`);
  }
}

function choose({ contexts, clusters, users }: Kubeconfig, context: string) {
  if (contexts.length === 0)
    throw new Error(
      'there is no kubeconfig with a context; set KUBECONFIG or write ~/.kube/config',
    );
  const chosen = contexts.find(({ name }) => name === context);
  if (chosen === undefined)
    throw new Error(`the kubeconfig has no context "${context}"; it has: ${namesOf(contexts)}`);
  const cluster = namedBy(chosen, 'cluster', clusters);
  const server = textOf(cluster, 'server') ?? '';
  if (!['http:', 'https:'].includes(URL.parse(server)?.protocol ?? ''))
    throw new Error(
      `the server of context "${context}" is not an http(s) address; write it as https://HOST:PORT`,
    );
  return { server, cluster, user: namedBy(chosen, 'user', users) };
}

function namedBy(context: KubeconfigEntry, field: string, entries: readonly KubeconfigEntry[]) {
  const wanted = textOf(context, field) ?? '';
  const entry = entries.find(({ name }) => name === wanted);
  if (entry !== undefined) return entry;
  throw new Error(
    `context "${context.name}" names the ${field} "${wanted}", which the kubeconfig lacks; it has: ${namesOf(entries)}`,
  );
}

const namesOf = (entries: readonly KubeconfigEntry[]): string =>
  [...new Set(entries.map(({ name }) => name))].join(', ') || 'none';

async function credentialsOf(user: KubeconfigEntry): Promise<Partial<PluginCredential>> {
  if (isIdentified(user)) return { token: await tokenOf(user) };
  const { exec, 'auth-provider': provider } = user.fields;
  if (isFields(provider))
    throw new Error(
      `the auth-provider "${provider.name}" is not supported; use an exec plugin such as kubelogin or gke-gcloud-auth-plugin`,
    );
  return isFields(exec) ? runPlugin(exec, user.directory) : {};
}

/** Static credentials take precedence over an exec plugin, as in client-go. */
const isIdentified = ({ fields }: KubeconfigEntry): boolean =>
  ['token', 'tokenFile', 'username', 'client-certificate', 'client-certificate-data'].some(
    (name) => fields[name],
  );

/** Uses `token` only if `tokenFile` is absent, empty or unreadable, as in client-go. */
async function tokenOf(user: KubeconfigEntry): Promise<string | undefined> {
  const token = textOf(user, 'token');
  const file = filePath(user, 'tokenFile');
  if (file === undefined) return token;
  const read = await readFile(file, 'utf8').catch((cause: unknown) => {
    if (token !== undefined) return '';
    throw new Error(`the tokenFile of user "${user.name}" cannot be read: ${messageOf(cause)}`);
  });
  const found = read.trim() || token;
  if (found === undefined) throw new Error(`the tokenFile of user "${user.name}" is empty`);
  return found;
}

function authorizationOf(user: KubeconfigEntry, token: string | undefined): string | undefined {
  const username = textOf(user, 'username');
  if (username !== undefined)
    return `Basic ${Buffer.from(`${username}:${textOf(user, 'password') ?? ''}`).toString('base64')}`;
  return token && `Bearer ${token}`;
}

function tlsOf(cluster: KubeconfigEntry, user: KubeconfigEntry, given: Partial<PluginCredential>) {
  const ca = bytesOf(cluster, 'certificate-authority');
  const cert = given.certificate ?? bytesOf(user, 'client-certificate');
  const key = given.key ?? bytesOf(user, 'client-key');
  const isInsecure = ca === undefined && cluster.fields['insecure-skip-tls-verify'] === true;
  if ((cert === undefined) !== (key === undefined))
    throw new Error(`user "${user.name}" has only one of certificate and key`);
  const identity = present({ cert, key });
  try {
    createSecureContext(identity);
  } catch (cause) {
    const { code = 'unreadable' } = cause as { readonly code?: string };
    throw new Error(`the certificate or key of user "${user.name}" cannot be used (${code})`);
  }
  const servername = textOf(cluster, 'tls-server-name');
  const rejectUnauthorized = isInsecure ? false : undefined;
  return { ...identity, ...present({ ca, servername, rejectUnauthorized }) };
}

function impersonationOf(user: KubeconfigEntry): RequestHeaders {
  const { 'as-groups': groups = [], 'as-user-extra': extra = {} } = user.fields;
  const [as, uid] = [textOf(user, 'as'), textOf(user, 'as-uid')];
  const headers: Record<string, string | string[]> = present({
    'impersonate-user': as,
    'impersonate-uid': uid,
  });
  if (Array.isArray(groups) && groups.length > 0) headers['impersonate-group'] = groups.map(String);
  for (const [key, values] of Object.entries(extra ?? {}))
    headers[`impersonate-extra-${encodeURIComponent(key)}`] = [values].flat().map(String);
  // Allows only ASCII, because Node sends the headers of a GET in Latin-1, and those of a PATCH in UTF-8.
  const other = Object.values(headers)
    .flat()
    .find((value) => !/^[ -~]*$/.test(value));
  if (other !== undefined)
    throw new Error(
      `user "${user.name}" impersonates ${quote(other)}, but only ASCII text can be sent`,
    );
  return headers;
}
