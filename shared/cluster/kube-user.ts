import { readFile } from 'node:fs/promises';
import type { KubeConfig } from '@kubernetes/client-node';
import { type PluginCredential, runPlugin } from './exec-plugin.ts';
import type { KubeUser } from './kubeconfig-files.ts';
import { hasPassword } from './request-options.ts';
import { safeMessageOf } from './safe-message.ts';

/** What authenticates the user, beyond what is in the kubeconfig. */
export function authenticator(config: KubeConfig, user: KubeUser): () => Promise<void> {
  let kept: PluginCredential | undefined;
  const become = (authenticated: KubeUser): void => {
    config.users = config.users.map((one) => (one.name === user.name ? authenticated : one));
  };
  return async () => {
    requireSupported(config, user);
    const { exec, ...rest } = user;
    if (isIdentified(user)) return become({ ...rest, ...(await tokenOf(user)) });
    if (!exec || (kept !== undefined && Date.now() < kept.expiresAt)) return;
    kept = await runPlugin(exec);
    become(withCredential(rest, kept));
  };
}

/** As in client-go, a plugin is run only for a user without other credentials. */
const isIdentified = (user: KubeUser): boolean =>
  Boolean(user.token || user.tokenFile || hasPassword(user) || user.certFile || user.certData);

/** Whether the kubeconfig has credentials of the user, or a way to get them. */
export const hasCredentials = (user: KubeUser): boolean =>
  isIdentified(user) || Boolean(user.keyData || user.keyFile || user.exec || user.authProvider);

/** As in client-go, the file is used, and the token beside it if the file cannot be read. */
async function tokenOf({ name, token, tokenFile }: KubeUser): Promise<{ readonly token?: string }> {
  const beside = token ? { token } : {};
  if (!tokenFile) return beside;
  try {
    const read = (await readFile(tokenFile, 'utf8')).trim();
    if (read !== '') return { token: read };
  } catch (cause) {
    if (!token)
      throw new Error(`the tokenFile of user "${name}" cannot be read: ${safeMessageOf(cause)}`);
  }
  if (!token) throw new Error(`the tokenFile of user "${name}" is empty`);
  return beside;
}

function requireSupported(config: KubeConfig, user: KubeUser): void {
  const { name, impersonation = [] } = user;
  if (config.getCurrentCluster()?.proxyUrl)
    throw new Error(
      `its cluster has a proxy-url, which the functions do not use; take it out and give an address of the API server that user "${name}" reaches without a proxy`,
    );
  if (impersonation.length > 0)
    throw new Error(
      `user "${name}" is to act as another (${impersonation.join(', ')}), which the functions do not; name a user that is itself the one to act as`,
    );
  for (const field of ['token', 'username', 'password'] as const)
    if (typeof (user[field] ?? '') !== 'string')
      throw new Error(`${field} of user "${name}" is no text; put it into quotes`);
  if (user.password && !user.username)
    throw new Error(`user "${name}" has a password and no username`);
  if (hasPassword(user) && (user.token || user.tokenFile))
    throw new Error(`user "${name}" has both a token and username or password; keep one`);
  requireKnownProvider(user);
}

/** client-node would run the commands of other providers synchronously, blocking the process until they end. */
function requireKnownProvider({ authProvider }: KubeUser): void {
  if (!authProvider) return;
  const { name, config } = authProvider as { readonly name?: unknown; readonly config?: object };
  if ((name === 'oidc' || name === 'tokenFile') && !Object.hasOwn(config ?? {}, 'exec')) return;
  throw new Error(
    `the auth-provider "${name}" is one that kubectl has given up, too; use an exec plugin, as gke-gcloud-auth-plugin`,
  );
}

function withCredential(user: KubeUser, { token, certificate, key }: PluginCredential): KubeUser {
  const named = token === undefined ? user : { ...user, token };
  if (certificate === undefined || key === undefined) return named;
  return { ...named, certData: base64(certificate), keyData: base64(key) };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
