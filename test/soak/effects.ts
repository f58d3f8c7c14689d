import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

/** A fault in one request to the API server, or in its response. */
export type Effect =
  | { readonly kind: 'delay'; readonly ms: number }
  /** Breaks the connection before the server receives the request, or after it has carried it out. */
  | { readonly kind: 'drop'; readonly when: 'before' | 'after' }
  | { readonly kind: 'refuse'; readonly code: 429 | 500 | 503; readonly retryAfterSeconds?: number }
  /** Delivers only half of the response. */
  | { readonly kind: 'cut' }
  /** Gives no response for this time, then breaks the connection. */
  | { readonly kind: 'hang'; readonly ms: number };

/** Applies an effect before forwarding; resolves with true if the request ends here. */
export async function isStopped(
  response: ServerResponse,
  effect: Effect | undefined,
): Promise<boolean> {
  switch (effect?.kind) {
    case 'delay':
      await delay(effect.ms);
      return false;
    case 'hang':
      await delay(effect.ms);
      response.destroy();
      return true;
    case 'drop':
      if (effect.when === 'before') response.destroy();
      return effect.when === 'before';
    case 'refuse': {
      const { code, retryAfterSeconds } = effect;
      const after =
        retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
      response.writeHead(code, { 'content-type': 'application/json', ...after });
      response.end(JSON.stringify(statusOf(code)));
      return true;
    }
    default:
      return false;
  }
}

const reasons = { 429: 'TooManyRequests', 500: 'InternalError', 503: 'ServiceUnavailable' };

const statusOf = (code: keyof typeof reasons) => ({
  kind: 'Status',
  apiVersion: 'v1',
  status: 'Failure',
  code,
  reason: reasons[code],
  message: 'refused by the fault proxy',
});

export interface Reply {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

/** Forwards the response of the server as far as the effect allows. */
export function respond(
  response: ServerResponse,
  { code, headers, body }: Reply,
  effect?: Effect,
): void {
  if (effect?.kind === 'drop') return void response.destroy();
  const { 'transfer-encoding': _, connection: __, ...passed } = headers;
  response.writeHead(code, { ...passed, 'content-length': body.length });
  if (effect?.kind !== 'cut') return void response.end(body);
  response.write(body.subarray(0, body.length >> 1), () => response.destroy());
}
