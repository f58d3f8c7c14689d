import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';
import { isFields, present } from '../../json.ts';
import { messageOf } from '../cluster-errors.ts';
import { isHeaderValue, type RequestHeaders, type TlsOptions } from '../http/transport.ts';
import { within } from '../time-limit.ts';
import { areCertificates } from './certificate.ts';
import { type PluginCredential, runPlugin } from './exec-plugin.ts';
import { bytesOf, fieldOf, type KubeconfigEntry, pathOf } from './kubeconfig.ts';

export interface Access {
  readonly tls: TlsOptions;
  readonly authorization: string | undefined;
  readonly impersonation: RequestHeaders;
}

const providerMs = 30_000;

const slowProvider = (): Error =>
  new Error(`the identity provider gave no token within ${providerMs / 1000} s`);

/** Returns a function that gets the credentials. It runs an exec plugin only if the last credentials have expired. */
export function authenticator(
  cluster: KubeconfigEntry,
  user: KubeconfigEntry,
): () => Promise<Access> {
  let kept: PluginCredential | undefined;
  let oidc: (() => Promise<string>) | undefined;
  const current = async (): Promise<Partial<PluginCredential>> => {
    if (isIdentified(user)) return { token: await tokenOf(user) };
    const { exec, 'auth-provider': provider } = user.fields;
    if (isFields(exec)) {
      if (kept === undefined || Date.now() >= kept.expiresAt)
        kept = await runPlugin(exec, user.directory);
      return kept;
    }
    if (!isFields(provider)) return {};
    oidc ??= (await import('./oidc.ts')).oidcTokens(user, configOf(user, provider));
    return { token: await within(providerMs, oidc, slowProvider) };
  };
  return async () => {
    requireUnambiguous(user);
    const { token, certificate, key } = await current();
    return {
      tls: tlsOf(cluster, user, { certificate, key }),
      authorization: authorizationOf(user, token),
      impersonation: impersonationOf(user),
    };
  };
}

/** Reports whether the user has credentials that need no exec plugin. As in client-go, these take precedence. */
const isIdentified = ({ fields }: KubeconfigEntry): boolean =>
  ['token', 'tokenFile', 'username', 'client-certificate', 'client-certificate-data'].some(
    (name) => fields[name],
  );

/** Reports whether the kubeconfig contains the user's credentials, or says how to get them. */
export const hasCredentials = (user: KubeconfigEntry): boolean =>
  isIdentified(user) ||
  ['client-key', 'client-key-data', 'exec', 'auth-provider'].some((name) => user.fields[name]);

function requireUnambiguous(user: KubeconfigEntry): void {
  const { name } = user;
  const [token, file, username, password] = ['token', 'tokenFile', 'username', 'password'].map(
    (field) => fieldOf(user, field),
  );
  if (password !== undefined && username === undefined)
    throw new Error(`user "${name}" has a password and no username`);
  if (username !== undefined && (token ?? file) !== undefined)
    throw new Error(`user "${name}" has both a token and username or password; keep one`);
  if (user.fields.exec && user.fields['auth-provider'])
    throw new Error(`user "${name}" has both an exec plugin and an auth-provider; keep one`);
}

/** Returns the user's token. As in client-go, `token` is used only if `tokenFile` is absent or cannot be read. */
async function tokenOf(user: KubeconfigEntry): Promise<string | undefined> {
  const token = fieldOf(user, 'token');
  const file = pathOf(user, 'tokenFile');
  if (file === undefined) return token;
  try {
    const read = (await readFile(file, 'utf8')).trim();
    if (read !== '') return read;
  } catch (cause) {
    if (token === undefined)
      throw new Error(`the tokenFile of user "${user.name}" cannot be read: ${messageOf(cause)}`);
  }
  if (token === undefined) throw new Error(`the tokenFile of user "${user.name}" is empty`);
  return token;
}

function configOf({ what, name, directory }: KubeconfigEntry, provider: object): KubeconfigEntry {
  const { name: kind, config } = provider as { readonly name?: unknown; readonly config?: unknown };
  if (kind === 'oidc') return { what, name, directory, fields: isFields(config) ? config : {} };
  throw new Error(
    `the auth-provider "${kind}" is no longer supported by kubectl either; use an exec plugin such as gke-gcloud-auth-plugin`,
  );
}

function authorizationOf(user: KubeconfigEntry, token: string | undefined): string | undefined {
  const username = fieldOf(user, 'username');
  if (username !== undefined)
    return `Basic ${Buffer.from(`${username}:${fieldOf(user, 'password') ?? ''}`).toString('base64')}`;
  if (token === undefined) return undefined;
  if (isHeaderValue(token)) return `Bearer ${token}`;
  throw new Error(
    `the token of user "${user.name}" holds a line break, or another character that a header may not contain; write it on one line`,
  );
}

function tlsOf(
  cluster: KubeconfigEntry,
  user: KubeconfigEntry,
  given: Pick<Partial<PluginCredential>, 'certificate' | 'key'>,
): TlsOptions {
  const ca = bytesOf(cluster, 'certificate-authority');
  const cert = given.certificate ?? bytesOf(user, 'client-certificate');
  const key = given.key ?? bytesOf(user, 'client-key');
  const isInsecure = cluster.fields['insecure-skip-tls-verify'] === true;
  if (ca !== undefined && isInsecure)
    throw new Error(
      'its cluster has both certificate-authority and insecure-skip-tls-verify; keep one',
    );
  if (ca !== undefined && !areCertificates(String(ca)))
    throw new Error(
      "its cluster's certificate-authority holds no certificate, or an incomplete one",
    );
  if ((cert === undefined) !== (key === undefined))
    throw new Error(`user "${user.name}" has only one of client-certificate and client-key`);
  const identity = present({ cert, key });
  try {
    createSecureContext(identity);
  } catch (cause) {
    const { code = 'unreadable' } = cause as { readonly code?: string };
    throw new Error(`the certificate or key of user "${user.name}" cannot be used (${code})`);
  }
  const servername = fieldOf(cluster, 'tls-server-name');
  const rejectUnauthorized = isInsecure ? false : undefined;
  return { ...identity, ...present({ ca, servername, rejectUnauthorized }) };
}

function impersonationOf(user: KubeconfigEntry): RequestHeaders {
  const { 'as-groups': groups = [], 'as-user-extra': extra = {} } = user.fields;
  const as = fieldOf(user, 'as');
  const headers: Record<string, string | string[]> = present({
    'impersonate-uid': fieldOf(user, 'as-uid'),
  });
  if (Array.isArray(groups) && groups.length > 0) headers['impersonate-group'] = groups.map(String);
  for (const [key, values] of Object.entries(extra ?? {}))
    headers[`impersonate-extra-${encodeURIComponent(key)}`] = [values].flat().map(String);
  if (as === undefined && Object.keys(headers).length > 0)
    throw new Error(
      `user "${user.name}" has as-uid, as-groups or as-user-extra without as; name the user to impersonate`,
    );
  if (as !== undefined) headers['impersonate-user'] = as;
  if (Object.values(headers).flat().every(isHeaderValue)) return headers;
  throw new Error(
    `user "${user.name}" impersonates a name with a character that a header may not contain`,
  );
}
