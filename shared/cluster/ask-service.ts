import { urlToHttpOptions } from 'node:url';
import { exchange, type Received } from './http/exchange.ts';
import { agentTo } from './http/proxy.ts';
import type { RequestHeaders, TlsOptions } from './http/transport.ts';

interface ServiceRequest {
  readonly ms: number;
  readonly headers: RequestHeaders;
  /** The body of a POST; undefined for a GET. */
  readonly body?: string | Uint8Array | undefined;
  /** Default: 256 KiB, larger than any token or error. */
  readonly maxBytes?: number;
  readonly tls?: TlsOptions;
  /** Default: the environment's proxy. */
  readonly proxy?: URL | undefined;
  readonly isDirect?: boolean;
}

/** Uses a new connection, because a kept connection may be dead. Avoids `fetch`, which takes 15 MiB of memory. */
export function askService(url: string, request: ServiceRequest): Promise<Received> {
  const { ms, headers, body, maxBytes = 256 * 1024, tls, proxy, isDirect } = request;
  const options = {
    ...urlToHttpOptions(new URL(url)),
    ...tls,
    method: body === undefined ? 'GET' : 'POST',
    headers,
    agent: isDirect === true ? false : agentTo(url, proxy),
  };
  return exchange(options, body, { bytes: maxBytes, ms });
}

export const isSuccess = ({ code }: Pick<Received, 'code'>): boolean => code >= 200 && code < 300;
