import { type Agent, type OutgoingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { text } from 'node:stream/consumers';
import type { Credentials } from '../../../shared/cluster/credentials/credentials.ts';
import { UnreachableError } from '../../../shared/cluster/errors.ts';
import { userAgent } from '../../../shared/cluster/http/connection.ts';
import { agentTo } from '../../../shared/cluster/http/proxy.ts';
import type { TlsOptions } from '../../../shared/cluster/http/transport.ts';
import type { JsonObject, Status } from '../../../shared/kubernetes.ts';
import { CertificateError, certificateRemedy, whyUnanswered } from './no-answer.ts';

export interface ProbeRequest {
  readonly path: string;
  /** Makes it a POST. */
  readonly body?: object;
  /** The user to impersonate, in place of the one that the kubeconfig names. */
  readonly as?: string | undefined;
}

export interface ProbeResponse {
  readonly code: number;
  /** The body if it is a JSON object, else an empty one. */
  readonly value: JsonObject;
  /** The server's reason for a refusal. */
  readonly message: string;
  /** The server's clock. */
  readonly date: Date | undefined;
}

/** Sends one request to the API server and returns any response; only the lack of one is an error. */
export type Probe = (question: ProbeRequest) => Promise<ProbeResponse>;

export const timeoutMs = 10_000;

export const probeFor =
  (credentials: Credentials): Probe =>
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
          ...(header === undefined ? {} : { authorization: header }),
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
