import { type Agent, type OutgoingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import { messageOf, UnreachableError } from '../../../shared/cluster/cluster-errors.ts';
import type { Credentials } from '../../../shared/cluster/credentials/credentials.ts';
import { userAgent } from '../../../shared/cluster/http/connection.ts';
import { agentTo } from '../../../shared/cluster/http/proxy.ts';
import type { TlsOptions } from '../../../shared/cluster/http/transport.ts';
import { present } from '../../../shared/json.ts';
import type { JsonObject, Status } from '../../../shared/kubernetes.ts';

interface ProbeRequest {
  readonly path: string;
  /** Turns the request into a POST. */
  readonly body?: object;
  /** The user to impersonate, in place of the one that the kubeconfig names. */
  readonly as?: string | undefined;
}

export interface ProbeResponse {
  readonly code: number;
  /** The body if it is a JSON object, else an empty object. */
  readonly value: JsonObject;
  /** The server's reason for a refusal. */
  readonly message: string;
  /** The server's clock. */
  readonly date: Date | undefined;
}

/** Sends one request to the API server and returns the response, also a refusal; throws if there is none. */
export type ApiProbe = (question: ProbeRequest) => Promise<ProbeResponse>;

export const timeoutMs = 10_000;

export const probeFor =
  (credentials: Credentials): ApiProbe =>
  async (question) => {
    const { server, proxy, authorization } = credentials;
    const base = server.replace(/\/$/, '');
    const ask = async (fresh: boolean): Promise<ProbeResponse> => {
      const header = await authorization(fresh);
      return send(new URL(base + question.path), question, {
        tls: credentials.tls,
        agent: agentTo(server, proxy),
        headers: {
          ...(question.as === undefined
            ? credentials.impersonation
            : { 'impersonate-user': question.as }),
          ...present({ authorization: header }),
        },
      });
    };
    const reply = await ask(false);
    return reply.code === 401 ? ask(true) : reply;
  };

interface How {
  readonly tls: TlsOptions;
  readonly agent: Agent;
  readonly headers: OutgoingHttpHeaders;
}

async function send(
  url: URL,
  { body }: ProbeRequest,
  { tls, agent, headers }: How,
): Promise<ProbeResponse> {
  const request = url.protocol === 'http:' ? requestHttp : requestHttps;
  try {
    return await new Promise((resolve, reject) => {
      const call = request(url, {
        ...tls,
        agent,
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          accept: 'application/json',
          'user-agent': userAgent,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        signal: AbortSignal.timeout(timeoutMs),
      });
      call.on('error', reject);
      call.on('response', (response) => {
        const { statusCode: code = 0, headers: received } = response;
        text(response).then((content) => resolve(replyOf(code, received.date, content)), reject);
      });
      call.end(body === undefined ? undefined : JSON.stringify(body));
    });
  } catch (cause) {
    const why = whyUnanswered(cause, timeoutMs);
    const remedy = certificateRemedy(cause);
    if (remedy === undefined)
      throw new UnreachableError(`no answer from ${url.origin}: ${why}`, { cause });
    const message = `the certificate of ${url.origin} is not accepted: ${why}`;
    throw new CertificateError(message, { cause, remedy });
  }
}

function replyOf(code: number, date: string | undefined, content: string): ProbeResponse {
  const value = parse(content);
  const { message = content.trim().slice(0, 200) } = value as Partial<Status>;
  const time = Date.parse(date ?? '');
  return { code, value, message, date: Number.isNaN(time) ? undefined : new Date(time) };
}

function parse(content: string): ProbeResponse['value'] {
  try {
    const value: unknown = JSON.parse(content);
    return typeof value === 'object' && value !== null ? (value as ProbeResponse['value']) : {};
  } catch {
    return {};
  }
}

/** Thrown if a server answers with a certificate that is not accepted. */
export class CertificateError extends UnreachableError {
  readonly remedy: string;

  constructor(message: string, { cause, remedy }: { cause: unknown; remedy: string }) {
    super(message, { cause });
    this.remedy = remedy;
  }
}

/** Says why a request had no answer; `timeoutMs` is the request's timeout. */
export function whyUnanswered(cause: unknown, timeoutMs: number): string {
  if (cause instanceof AggregateError) return cause.errors.map(messageOf).join('; ');
  const isLate = cause instanceof Error && ['AbortError', 'TimeoutError'].includes(cause.name);
  if (isLate) return `nothing within ${timeoutMs / 1000} s`;
  // Cuts off Node's advice about its own option.
  const [why = ''] = messageOf(cause).split('; if the root CA');
  return why.trim() || String(cause);
}

/** A remedy for a certificate that was not accepted; undefined for any other error. */
function certificateRemedy(cause: unknown): string | undefined {
  const code = String((cause as { code?: unknown } | undefined)?.code);
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return "check this machine's clock, or have the certificate renewed";
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'check server and tls-server-name of the cluster in the kubeconfig';
  return untrusted.test(code)
    ? 'check certificate-authority-data of the cluster in the kubeconfig'
    : undefined;
}

/** OpenSSL's codes for a chain that does not end in a known authority. */
const untrusted = /SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF_SIGNATURE)|^CERT_/;
