import type { IncomingMessage, RequestListener } from 'node:http';

/** Why a loopback server refuses a request, with the remedy. */
export interface Refusal {
  readonly code: 403 | 415;
  readonly message: string;
}

/**
 * Explains why a loopback server refuses a request; undefined for programs on this machine and for the server's own
 * pages.
 *
 * Guarantees: a page of another origin can cause nothing, because its browser sends Origin or Sec-Fetch-Site with every
 * such request. The page cannot read an answer through a DNS name of this machine, because Host shows that name.
 * Following a link to a page of this server is allowed, as in the resource isolation policy of Fetch Metadata.
 * Caveats: the port in Host may differ, because a proxy or a forwarded port keeps the port that its client sent.
 */
export function foreignRefusal({ headers, method }: IncomingMessage): Refusal | undefined {
  const host = headers.host ?? '';
  if (!loopback.test(host))
    return refused('this server answers to 127.0.0.1, localhost and [::1] only: use one of these');
  const { origin } = headers;
  if (origin !== undefined && origin.toLowerCase() !== `http://${host.toLowerCase()}`)
    return refused('a web page of another origin sent this request: use a program of this machine');
  const site = headers['sec-fetch-site'] ?? 'none';
  if (site === 'none' || site === 'same-origin' || isLinkFollowed(headers, method))
    return undefined;
  return refused('a web page of another site caused this request: open the address itself');
}

/**
 * Like `foreignRefusal`, and also refuses a POST that is not JSON. A page cannot send JSON to another origin
 * without asking.
 */
export function foreignOrNotJson(request: IncomingMessage): Refusal | undefined {
  const refusal = foreignRefusal(request);
  if (refusal !== undefined || request.method !== 'POST') return refusal;
  const type = request.headers['content-type'] ?? '';
  if (/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) return undefined;
  return { code: 415, message: 'a POST needs the header Content-Type: application/json' };
}

/** Serves a request unless it is refused; answers a refusal with one sentence. */
export function guarded(refusalOf: typeof foreignRefusal, serve: RequestListener): RequestListener {
  return (request, response) => {
    const refusal = refusalOf(request);
    if (refusal === undefined) return serve(request, response);
    // The rest of the body is not read.
    const headers = { 'content-type': 'text/plain; charset=utf-8', connection: 'close' };
    response.writeHead(refusal.code, headers).end(`${refusal.message}\n`);
  };
}

const loopback = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i;

/** Requires a top-level navigation: a page around a frame could trick the user into clicking. */
function isLinkFollowed(headers: IncomingMessage['headers'], method: string | undefined): boolean {
  return (
    method === 'GET' &&
    headers['sec-fetch-mode'] === 'navigate' &&
    headers['sec-fetch-dest'] === 'document'
  );
}

function refused(message: string): Refusal {
  return { code: 403, message };
}
