import { askService, isSuccess } from '../cluster/ask-service.ts';
import { CredentialsError, messageOf } from '../cluster/cluster-errors.ts';
import { type Credentials, type Perishable, renewed } from '../cluster/credentials/credentials.ts';
import { final, retry } from '../cluster/retry.ts';
import { parseJson, textAt, valueAt } from '../json.ts';

// biome-ignore lint/style/noProcessEnv: Google's own libraries use this variable, too.
const { GCE_METADATA_HOST: host = 'metadata.google.internal' } = process.env;
const google = `http://${host}`;
const path =
  '/computeMetadata/v1/instance/service-accounts/default/token?scopes=https://www.googleapis.com/auth/cloud-platform,https://www.googleapis.com/auth/userinfo.email';

/** Time limits for one response, and for the start of the last attempt. */
const defaultTimeouts = { responseMs: 4_000, triesMs: 10_000 };
const refreshBeforeMs = 5 * 60_000;

/** Renews a token five minutes before it expires, but not in the first half of its lifetime. */
export const serviceAccountTokens = (
  server = google,
  { responseMs, triesMs } = defaultTimeouts,
): ((fresh: boolean) => Promise<string>) =>
  renewed(() => retry(() => askOnce(server, responseMs), { deadline: Date.now() + triesMs }));

export function fromEndpoint(
  endpoint: string,
  ca: string | undefined,
  metadataServer?: string,
): Credentials {
  const token = serviceAccountTokens(metadataServer);
  const tls = ca === undefined ? {} : { ca: Buffer.from(ca, 'base64').toString() };
  return {
    server: endpoint.includes('://') ? endpoint : `https://${endpoint}`,
    async access(fresh) {
      try {
        return { tls, authorization: `Bearer ${await token(fresh)}` };
      } catch (cause) {
        throw new CredentialsError(
          `CLUSTER_ENDPOINT: ${messageOf(cause)}; outside Google Cloud use CLUSTER_CONTEXT`,
          { cause },
        );
      }
    },
  };
}

async function askOnce(server: string, ms: number): Promise<Perishable<string>> {
  const asked = Date.now();
  const headers = { 'metadata-flavor': 'Google' };
  const response = await askService(server + path, { ms, headers, isDirect: true }).catch(
    (cause: unknown) => {
      throw new Error('the metadata server of Google Cloud does not respond', { cause });
    },
  );
  const { code } = response;
  if (!isSuccess(response)) {
    const refusal = `the metadata server issued no token: HTTP ${code}`;
    if (code === 429 || code >= 500) throw new Error(refusal);
    throw final(new Error(`${refusal}; does the function have a service account?`));
  }
  if (response.headers['metadata-flavor'] !== 'Google')
    throw final(new Error(`the server at ${server} is not a metadata server of Google Cloud`));
  return tokenIn(response.body.toString(), asked);
}

const noToken = 'the response of the metadata server is not a token';

/** Quotes nothing in its error, because even a malformed response may contain a token. */
function tokenIn(text: string, asked: number): Perishable<string> {
  const response = parseJson(text);
  const [value, seconds] = [textAt(response, 'access_token'), valueAt(response, 'expires_in')];
  if (value === undefined || typeof seconds !== 'number') throw final(new Error(noToken));
  const life = seconds * 1000;
  return {
    value,
    refreshAt: asked + Math.max(life - refreshBeforeMs, life / 2),
    expiresAt: asked + life,
  };
}
