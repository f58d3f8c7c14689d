import { readFile } from 'node:fs/promises';
import type { Cluster } from '@kubernetes/client-node';
import { type PluginCredential, runPlugin } from './exec-plugin.ts';
import type { KubeUser } from './kubeconfig-files.ts';
import { hasPassword } from './request-options.ts';
import { safeMessageOf } from './safe-message.ts';

/** Returns a function that resolves to the user with its current credentials. */
export function authenticator(cluster: Cluster, user: KubeUser): () => Promise<KubeUser> {
  let kept: PluginCredential | undefined;
  return async () => {
    requireSupported(cluster, user);
    const { exec, ...rest } = user;
    if (isIdentified(user)) return { ...rest, ...(await tokenOf(user)) };
    if (!exec) return user;
    if (kept === undefined || Date.now() >= kept.expiresAt) kept = await runPlugin(exec);
    return withCredential(rest, kept);
  };
}

/** As in client-go, an exec plugin runs only for a user without other credentials. */
const isIdentified = (user: KubeUser): boolean =>
  Boolean(user.token || user.tokenFile || hasPassword(user) || user.certFile || user.certData);

/** Whether the kubeconfig has credentials for the user, or a way to get them. */
export const hasCredentials = (user: KubeUser): boolean =>
  isIdentified(user) || Boolean(user.keyData || user.keyFile || user.exec || user.authProvider);

/** As in client-go, `tokenFile` takes precedence, and `token` is used if the file cannot be read. */
async function tokenOf({ name, token, tokenFile }: KubeUser): Promise<{ readonly token?: string }> {
  const fallback = token ? { token } : {};
  if (!tokenFile) return fallback;
  try {
    const read = (await readFile(tokenFile, 'utf8')).trim();
    if (read !== '') return { token: read };
  } catch (cause) {
    if (!token)
      throw new Error(`the tokenFile of user "${name}" cannot be read: ${safeMessageOf(cause)}`);
  }
  if (!token) throw new Error(`the tokenFile of user "${name}" is empty`);
  return fallback;
}

function requireSupported({ proxyUrl }: Cluster, user: KubeUser): void {
  const { name, impersonation = [] } = user;
  if (proxyUrl)
    throw new Error(
      `its cluster has a proxy-url, which is not supported; remove it and give an address of the API server that user "${name}" reaches without a proxy`,
    );
  if (impersonation.length > 0)
    throw new Error(
      `user "${name}" impersonates another (${impersonation.join(', ')}), which is not supported; name a user that needs no impersonation`,
    );
  for (const field of ['token', 'username', 'password'] as const)
    if (typeof (user[field] ?? '') !== 'string')
      throw new Error(`${field} of user "${name}" is not a string; quote it`);
  if (user.password && !user.username)
    throw new Error(`user "${name}" has a password and no username`);
  if (hasPassword(user) && (user.token || user.tokenFile))
    throw new Error(`user "${name}" has both a token and username or password; keep one`);
  requireKnownProvider(user);
}

/** client-node would run the commands of other providers synchronously and block the process. */
function requireKnownProvider({ authProvider }: KubeUser): void {
  if (!authProvider) return;
  const { name, config } = authProvider as { readonly name?: unknown; readonly config?: object };
  if ((name === 'oidc' || name === 'tokenFile') && !Object.hasOwn(config ?? {}, 'exec')) return;
  throw new Error(
    `the auth-provider "${name}" is no longer supported by kubectl either; use an exec plugin such as gke-gcloud-auth-plugin`,
  );
}

function withCredential(user: KubeUser, { token, certificate, key }: PluginCredential): KubeUser {
  const named = token === undefined ? user : { ...user, token };
  if (certificate === undefined || key === undefined) return named;
  return { ...named, certData: base64(certificate), keyData: base64(key) };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
