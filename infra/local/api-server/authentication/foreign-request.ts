import type { IncomingMessage, RequestListener } from 'node:http';

/** The reason a loopback server refuses a request, and what to do instead. */
export interface Refusal {
  readonly code: 403 | 415;
  readonly message: string;
}

/**
 * Why a server on loopback refuses a request; undefined for programs of this machine and for pages of
 * that very server.
 *
 * Guarantees: a web page from elsewhere can neither cause anything (its browser sends Origin or
 * Sec-Fetch-Site with every such request) nor read an answer by a DNS name of its own that leads here
 * (Host). Following a link to a page of this server is allowed, as the resource isolation policy of
 * Fetch Metadata has it.
 * Caveats: the port in Host may be another: a proxy or a forwarded port keeps what its client sent.
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

/** As above, and a POST has to be of JSON, which no page can send elsewhere unasked. */
export function foreignOrNotJson(request: IncomingMessage): Refusal | undefined {
  const refusal = foreignRefusal(request);
  if (refusal !== undefined || request.method !== 'POST') return refusal;
  const type = request.headers['content-type'] ?? '';
  if (/^application\/([\w.-]+\+)?json\s*(;|$)/i.test(type)) return undefined;
  return { code: 415, message: 'a POST needs the header Content-Type: application/json' };
}

/** Serves what is not refused; the answer to the rest is one sentence. */
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

/** Of the whole window: in a frame the page around it would decide what is clicked. */
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
