import pRetry, { AbortError } from 'p-retry';

const google = 'http://metadata.google.internal';
const path =
  '/computeMetadata/v1/instance/service-accounts/default/token?scopes=https://www.googleapis.com/auth/cloud-platform,https://www.googleapis.com/auth/userinfo.email';

const answerMs = 5_000;
const refreshBeforeMs = 5 * 60_000;

interface Token {
  readonly value: string;
  readonly refreshAt: number;
  readonly expiresAt: number;
}

/**
 * Access tokens of the service account that this process runs as on Google Cloud.
 *
 * Flow: one token is kept and asked for anew five minutes before it expires, or at half of what was
 * left of it; a server that is only starting (503) is asked again for some seconds.
 * Guarantees: however many want a token, one request is under way; a token that is still good is used
 * where no newer one can be had.
 */
export function serviceAccountTokens(server = google): (fresh: boolean) => Promise<string> {
  let kept: Token | undefined;
  let asking: Promise<Token> | undefined;
  const renew = async (): Promise<string> => {
    asking ??= askFor(server).finally(() => {
      asking = undefined;
    });
    kept = await asking;
    return kept.value;
  };
  return async (fresh) => {
    if (!fresh && kept !== undefined && Date.now() < kept.refreshAt) return kept.value;
    try {
      return await renew();
    } catch (error) {
      if (fresh || kept === undefined || Date.now() >= kept.expiresAt) throw error;
      return kept.value;
    }
  };
}

const askFor = (server: string): Promise<Token> =>
  pRetry(() => ask(server), { retries: 4, minTimeout: 100, factor: 2, randomize: true });

async function ask(server: string): Promise<Token> {
  const asked = Date.now();
  const response = await fetch(server + path, {
    headers: { 'metadata-flavor': 'Google' },
    redirect: 'error',
    signal: AbortSignal.timeout(answerMs),
  }).catch((cause: unknown) => {
    const error = new Error('the metadata server of Google Cloud does not answer', { cause });
    throw isNowhere(cause) ? new AbortError(error) : error;
  });
  const text = await response.text();
  if (!response.ok) {
    const refusal = `the metadata server refused a token: HTTP ${response.status}`;
    if (response.status === 429 || response.status >= 500) throw new Error(refusal);
    throw new AbortError(`${refusal}; has the function a service account?`);
  }
  if (response.headers.get('metadata-flavor') !== 'Google')
    throw new AbortError(`what answers at ${server} is no metadata server of Google Cloud`);
  return tokenIn(text, asked);
}

/** Outside Google Cloud there is no such name: asking again would only take time. */
const isNowhere = (error: unknown): boolean =>
  (error as { cause?: { code?: unknown } }).cause?.code === 'ENOTFOUND';

function tokenIn(text: string, asked: number): Token {
  const { access_token: value, expires_in: seconds } = JSON.parse(text) as {
    readonly access_token?: unknown;
    readonly expires_in?: unknown;
  };
  if (typeof value !== 'string' || value === '' || typeof seconds !== 'number')
    throw new AbortError('the metadata server answered without a token');
  const life = seconds * 1000;
  return {
    value,
    refreshAt: asked + Math.max(life - refreshBeforeMs, life / 2),
    expiresAt: asked + life,
  };
}
