import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { createSecureContext } from 'node:tls';
import type { Cluster, User } from '@kubernetes/client-node';
import { areCertificates } from './certificate.ts';
import { isHeaderValue, type TlsOptions } from './transport.ts';

/** How requests authenticate. */
export interface Access {
  readonly tls: TlsOptions;
  /** The Authorization header, if any. */
  readonly authorization: string | undefined;
}

/** The options of a request to a cluster by a user without an auth-provider, as client-node makes them. */
export function requestOptions(cluster: Cluster, user: User): RequestOptions {
  const { caFile, caData, skipTLSVerify, tlsServerName } = cluster;
  return {
    ca: bytesOf(caFile, caData),
    cert: bytesOf(user.certFile, user.certData),
    key: bytesOf(user.keyFile, user.keyData),
    rejectUnauthorized: skipTLSVerify ? false : undefined,
    servername: tlsServerName || undefined,
    headers: user.token ? { authorization: `Bearer ${user.token}` } : {},
  };
}

function bytesOf(file: string | undefined, data: string | undefined): Buffer | undefined {
  if (file) return readFileSync(file);
  return data ? Buffer.from(data, 'base64') : undefined;
}

/** Converts request options; throws if no request could be sent with them. */
export function accessOf(options: RequestOptions, user: User): Access {
  return { tls: tlsOf(options, user), authorization: authorizationOf(options.headers, user) };
}

function tlsOf(options: RequestOptions, user: User): TlsOptions {
  const { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername } = options;
  if (ca !== undefined && !areCertificates(String(ca)))
    throw new Error(
      "its cluster's certificate-authority holds no certificate, or an incomplete one",
    );
  if ((cert === undefined) !== (key === undefined))
    throw new Error(`user "${user.name}" has only one of client-certificate and client-key`);
  try {
    createSecureContext({ cert, key, passphrase });
  } catch (cause) {
    const { code = 'unreadable' } = cause as { readonly code?: string };
    throw new Error(`the certificate or key of user "${user.name}" cannot be used (${code})`);
  }
  const wanted = { ca, cert, key, pfx, passphrase, rejectUnauthorized, servername };
  return Object.fromEntries(Object.entries(wanted).filter(([, value]) => value !== undefined));
}

/** As in client-go, white space around a token is trimmed only if it is from a file. */
function authorizationOf(headers: unknown, user: User): string | undefined {
  const given = Object.entries((headers ?? {}) as Record<string, unknown>).find(
    ([name]) => name.toLowerCase() === 'authorization',
  )?.[1];
  if (typeof given !== 'string') return hasPassword(user) ? basic(user) : undefined;
  const header = user.authProvider?.config?.tokenFile === undefined ? given : given.trim();
  if (isHeaderValue(header)) return header;
  throw new Error(
    `the token of user "${user.name}" holds a line break, or another character that a header may not contain; write it on one line`,
  );
}

/** Whether the user authenticates by name and password. */
export const hasPassword = ({ username }: User): boolean => Boolean(username);

const basic = ({ username, password }: User): string =>
  `Basic ${Buffer.from(`${username}:${password ?? ''}`).toString('base64')}`;
