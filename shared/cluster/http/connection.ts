import { isDeepStrictEqual } from 'node:util';
import { listAt, parseJson, present, textAt, valueAt } from '../../json.ts';
import type { Status } from '../../kubernetes.ts';
import { escaped } from '../../printable.ts';
import {
  CredentialsError,
  KubeError,
  messageOf,
  OversizedError,
  UnreachableError,
} from '../cluster-errors.ts';
import type { Credentials } from '../credentials/credentials.ts';
import type { Access } from '../credentials/kube-context.ts';
import { type Received, type ResponseLimits, responseLimits } from './exchange.ts';
import { proxyFor } from './proxy.ts';
import {
  isUnencrypted,
  openTransport,
  type RequestHeaders,
  type SocketLimits,
} from './transport.ts';

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  readonly accept?: string;
  /** Default: JSON. */
  readonly parse?: (body: Buffer) => unknown;
  /** Describes the request in errors: `apply Deployment default/shop`. */
  readonly what: string;
}

export interface ApiResponse {
  readonly value: unknown;
  readonly bytes: number;
}

/** A connection to an API server, kept for the life of the process. */
export interface Connection {
  /** The signal aborts a request in flight, and cancels a request that waits for a socket. */
  readonly send: (call: Call, signal?: AbortSignal) => Promise<ApiResponse>;
  readonly close: () => void;
}

export const userAgent = 'serverless-reconciler';

/**
 * Connects to an API server.
 *
 * Guarantees:
 * - After a 401, the credentials are renewed and, if they differ, the request is sent once more.
 * - After a change of certificates, requests use new sockets.
 * - Credentials are sent over plain HTTP only to this machine, and appear in no error, even if a response repeats them.
 */
export function connect(
  credentials: Credentials,
  over: Partial<ResponseLimits & SocketLimits> = {},
): Connection {
  const { ms, bytes } = { ...responseLimits, ...over };
  const url = new URL(credentials.server);
  const proxy = credentials.proxy ?? proxyFor(url);
  const server = `${url.origin}${proxy === undefined ? '' : ` through the proxy ${proxy.host}`}`;
  const transport = openTransport(url, { ...over, proxy });
  const sendAs = async (access: Access, call: Call, signal?: AbortSignal) => {
    const { authorization, tls, impersonation } = access;
    requireSafe(authorization, call.what, url);
    const request = requestFor(call, { ...impersonation, ...present({ authorization }) });
    const path = url.pathname.replace(/\/$/, '') + call.path;
    try {
      const outgoing = { ...tls, ...request, path };
      const received = await transport.exchange(outgoing, { ms, bytes }, signal);
      if (received.code >= 400) throw refusal(call.what, received, echoMask(authorization));
      return { value: parsed(call, received), bytes: received.bytes };
    } catch (cause) {
      throw cause instanceof KubeError ? cause : noResponse(call.what, server, cause);
    }
  };
  const send = async (call: Call, signal?: AbortSignal): Promise<ApiResponse> => {
    const access = await credentials.access(false);
    try {
      return await sendAs(access, call, signal);
    } catch (error) {
      if (!(error instanceof KubeError && error.code === 401)) throw error;
      const fresh = await credentials.access(true);
      if (isDeepStrictEqual(fresh, access)) throw error;
      return sendAs(fresh, call, signal);
    }
  };
  return { send, close: transport.close };
}

function requestFor({ method, body, accept, contentType }: Call, identity: RequestHeaders) {
  const headers = {
    ...identity,
    accept: accept ?? 'application/json',
    'accept-encoding': 'gzip',
    'user-agent': userAgent,
    ...present({ 'content-type': contentType }),
  };
  return {
    method,
    headers,
    body: body === undefined ? undefined : JSON.stringify(body).replaceAll(notYaml, escaped),
  };
}

/** Matches characters to escape, because the server reads an apply as YAML. It would refuse escapes beyond U+FFFF. */
const notYaml = /[\x7f-\x9f\u2028\u2029\ufffe\uffff]/g;

function requireSafe(authorization: string | undefined, what: string, url: URL): void {
  if (authorization !== undefined && isUnencrypted(url))
    throw new CredentialsError(
      `cannot ${what}: credentials are not sent to ${url.origin}, because they would travel unencrypted; use https`,
    );
}

/** Hides the JSON parser's own message, because it may quote a Secret. */
function parsed({ parse = asJson }: Call, { code, body }: Received): unknown {
  if (code >= 300) throw new Error(`it redirects with ${code}, and redirects are not followed`);
  try {
    return parse(body);
  } catch {
    throw new Error('its response is not valid JSON');
  }
}

const asJson = (body: Buffer): unknown => JSON.parse(body.toString());

function noResponse(what: string, server: string, cause: unknown): Error {
  const why = messageOf(cause);
  if (cause instanceof OversizedError) return new OversizedError(`cannot ${what}: ${why}`);
  if (cause instanceof TypeError)
    return new Error(`cannot ${what}: this request cannot be sent (${why})`, { cause });
  const message = isCertificateError(cause)
    ? `the certificate of the API server ${server} is not accepted (${why.replace(nodesAdvice, '')}); check the certificate authority in the kubeconfig, the service account or CLUSTER_CA`
    : `no valid response from the API server ${server} (${why}); is it running and reachable from here?`;
  return new UnreachableError(`cannot ${what}: ${message}`, { cause });
}

/** Matches the advice in Node's certificate errors, which does not help: the authorities are configured. */
const nodesAdvice = /; if .*--use-system-ca$/;

const isCertificateError = (cause: unknown): boolean =>
  certificateCodes.test(String((cause as { readonly code?: unknown } | undefined)?.code));

const certificateCodes = /SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF_SIGNATURE)|CERT_/;

function refusal(what: string, { code, headers, body }: Received, mask: (text: string) => string) {
  const text = body.toString();
  const status = parseStatus(text, mask) ?? {
    message: mask(text).trim().slice(0, 200),
    reason: reasonOf(code),
  };
  const after = Number(headers['retry-after']);
  const retryAfter = Number.isFinite(after) && after > 0 ? after * 1000 : undefined;
  return new KubeError(what, { code, status, ...present({ retryAfter }) });
}

/** Drops fields of a wrong type. */
function parseStatus(text: string, mask: (text: string) => string): Partial<Status> | undefined {
  const status = parseJson(text);
  if (textAt(status, 'kind') !== 'Status') return undefined;
  const masked = (value: unknown, ...names: readonly string[]) =>
    Object.fromEntries(
      names.flatMap((name) => {
        const found = textAt(value, name);
        return found === undefined ? [] : [[name, mask(found)]];
      }),
    );
  const details = valueAt(status, 'details');
  return {
    ...masked(status, 'reason', 'message'),
    details: {
      ...masked(details, 'name', 'group', 'kind'),
      causes: listAt(details, 'causes').map((one) => masked(one, 'reason', 'field', 'message')),
    },
  };
}

const reasonOf = (code: number): string =>
  ({ 401: 'Unauthorized', 403: 'Forbidden', 404: 'NotFound', 429: 'TooManyRequests' })[code] ??
  `HTTP ${code}`;

/** Returns a function that masks these credentials, because errors go to logs, Events and terminals. */
function echoMask(authorization = ''): (text: string) => string {
  const token = authorization.slice(authorization.indexOf(' ') + 1).trim();
  // Also masks the password of basic authentication, which has `user:password` in base64.
  const decoded = Buffer.from(token, 'base64').toString();
  const password = decoded.slice(decoded.indexOf(':') + 1);
  const secrets = [token, decoded, password]
    .flatMap((secret) => [secret, encodeURIComponent(secret)])
    // Masks no shorter parts, because these occur in ordinary words.
    .filter(({ length }) => length >= 4)
    // Masks longer secrets first, because they may contain shorter secrets.
    .toSorted((a, b) => b.length - a.length);
  return (text) => secrets.reduce((masked, secret) => masked.replaceAll(secret, '[masked]'), text);
}
