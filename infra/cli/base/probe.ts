import { askService } from '../../../shared/cluster/ask-service.ts';
import { messageOf, UnreachableError } from '../../../shared/cluster/cluster-errors.ts';
import type { Credentials } from '../../../shared/cluster/credentials/credentials.ts';
import type { Access } from '../../../shared/cluster/credentials/kube-context.ts';
import { userAgent } from '../../../shared/cluster/http/connection.ts';
import type { Received } from '../../../shared/cluster/http/exchange.ts';
import { isFields, parseJson, present } from '../../../shared/json.ts';
import type { JsonObject, Status } from '../../../shared/kubernetes.ts';

interface ProbeRequest {
  readonly path: string;
  /** The body of a POST; without a body, the request is a GET. */
  readonly body?: object;
  /** The user to impersonate instead of the kubeconfig's user. */
  readonly as?: string | undefined;
}

export interface ProbeResponse {
  readonly code: number;
  /** The body if it is a JSON object; otherwise an empty object. */
  readonly value: JsonObject;
  /** The message of an error, or the beginning of a body that is not a Status. */
  readonly message: string;
  /** The server's clock. */
  readonly date: Date | undefined;
}

/** Returns error responses, too; throws only without a response. After a 401, tries once more with new credentials. */
export type ApiProbe = (question: ProbeRequest) => Promise<ProbeResponse>;

const timeoutMs = 10_000;
const maxBytes = 16 * 1024 * 1024;

export const probeFor =
  (credentials: Credentials): ApiProbe =>
  async (question) => {
    const ask = async (fresh: boolean): Promise<ProbeResponse> => {
      return replyOf(await send(credentials, question, await credentials.access(fresh)));
    };
    const reply = await ask(false);
    return reply.code === 401 ? ask(true) : reply;
  };

async function send(
  { server, proxy }: Credentials,
  { path, body, as }: ProbeRequest,
  { authorization, tls, impersonation }: Access,
): Promise<Received> {
  const headers = {
    ...(as === undefined ? impersonation : { 'impersonate-user': as }),
    accept: 'application/json',
    'user-agent': userAgent,
    ...present({ authorization, 'content-type': body && 'application/json' }),
  };
  const text = body && JSON.stringify(body);
  try {
    const request = { ms: timeoutMs, maxBytes, headers, body: text, tls, proxy };
    return await askService(server.replace(/\/$/, '') + path, request);
  } catch (cause) {
    const { origin } = new URL(server);
    const why = whyUnanswered(cause);
    const remedy = certificateRemedy(cause);
    const message =
      remedy === undefined
        ? `no response from the API server ${origin}: ${why}`
        : `the certificate of ${origin} is not accepted: ${why}`;
    throw new NoResponseError(message, { cause, remedy });
  }
}

function replyOf({ code, headers, body }: Received): ProbeResponse {
  const content = body.toString();
  const parsed = parseJson(content);
  const value = isFields(parsed) ? (parsed as JsonObject) : {};
  const { message = content.trim().slice(0, 200) } = value as Partial<Status>;
  const time = Date.parse(headers.date ?? '');
  return { code, value, message, date: Number.isNaN(time) ? undefined : new Date(time) };
}

export class NoResponseError extends UnreachableError {
  /** What to do about a certificate that is not accepted; undefined if the failure has another cause. */
  readonly remedy: string | undefined;

  constructor(message: string, { cause, remedy }: { cause: unknown; remedy: string | undefined }) {
    super(message, { cause });
    this.remedy = remedy;
  }
}

export function whyUnanswered(cause: unknown): string {
  if (cause instanceof Error && cause.name === 'TimeoutError')
    return `nothing within ${timeoutMs / 1000} s`;
  return messageOf(cause).trim() || String(cause);
}

function certificateRemedy(cause: unknown): string | undefined {
  const code = String((cause as { code?: unknown } | undefined)?.code);
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID')
    return "check this machine's clock, or have the certificate renewed";
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return 'check `server` and `tls-server-name` of the cluster in the kubeconfig';
  return untrusted.test(code)
    ? 'check `certificate-authority-data` of the cluster in the kubeconfig'
    : undefined;
}

/** OpenSSL's codes for a chain that does not end in a known authority. */
const untrusted = /SELF_SIGNED_CERT|UNABLE_TO_(GET_ISSUER_CERT|VERIFY_LEAF_SIGNATURE)|^CERT_/;
