import { askService, isSuccess } from '../../shared/cluster/ask-service.ts';
import { messageOf } from '../../shared/cluster/cluster-errors.ts';
import type { Received } from '../../shared/cluster/http/exchange.ts';
import { final, retry } from '../../shared/cluster/retry.ts';
import type { Environment } from '../../shared/environment.ts';
import { serviceAccountTokens } from '../../shared/google/metadata-server.ts';
import { parseSettings } from '../../shared/google/settings.ts';
import { parseJson, present, textAt, valueAt } from '../../shared/json.ts';
import { UnreadableRecordingError } from './errors.ts';

interface Bucket {
  /** Returns names in order. */
  readonly list: (prefix: string) => Promise<readonly string[]>;
  readonly read: (name: string, most: number) => Promise<Uint8Array>;
}

/** The maximum number of pages of a list. A page has 1,000 names. */
const maxPages = 100;
/** The maximum size of a page in bytes: 1,000 names of at most 1,024 bytes, which JSON may escape. */
const maxPage = 8 * 1024 * 1024;
const responseMs = 120_000;

/** Terraform's provider for Google Cloud reads the same variable. */
const tokenVariable = 'GOOGLE_OAUTH_ACCESS_TOKEN';
const remedy = `set ${tokenVariable}, for example to the output of gcloud auth print-access-token`;

/**
 * Opens a bucket with the access token in the environment. Without a token, uses the service account of this machine.
 *
 * Guarantees: transient errors are retried. An error names the bucket, and often a remedy.
 */
export function openBucket(bucket: string, env: Environment): Bucket {
  const { bucket: settings } = parseSettings((name) =>
    name === 'RECORD_BUCKET' ? bucket : (env[name]?.trim() ?? ''),
  );
  const emulator = settings?.emulator;
  const base = emulator === undefined ? 'https://storage.googleapis.com' : `http://${emulator}`;
  const lost = (why: string): Error =>
    new UnreadableRecordingError(`cannot read gs://${bucket}: ${why}`);
  const token = emulator === undefined ? tokenFrom(env) : async () => undefined;
  const askOnce = async (path: string, most: number): Promise<Buffer> => {
    const authorization = await token().catch((error: unknown) => {
      throw final(lost(`${messageOf(error)}; ${remedy}`));
    });
    const response = await askService(`${base}/storage/v1/b/${bucket}/o${path}`, {
      ms: responseMs,
      maxBytes: most,
      headers: authorization === undefined ? {} : { authorization },
    }).catch((error: unknown) => {
      throw lost(`no response (${messageOf(error)})`);
    });
    if (isSuccess(response)) return response.body;
    const error = lost(refusalOf(response));
    throw response.code === 429 || response.code >= 500 ? error : final(error);
  };
  const ask = (path: string, most: number): Promise<Buffer> =>
    retry(() => askOnce(path, most), { deadline: Date.now() + responseMs });
  return {
    async list(prefix) {
      const names: string[] = [];
      for (let page = 0, pageToken: string | undefined; page < maxPages; page++) {
        const query = { prefix, fields: 'items(name),nextPageToken', ...present({ pageToken }) };
        const body = await ask(`?${new URLSearchParams(query)}`, maxPage);
        const response = parseJson(body.toString());
        const items = valueAt(response, 'items') ?? [];
        if (!Array.isArray(items)) throw lost('the response is not a list of objects');
        names.push(...items.flatMap((one: unknown) => textAt(one, 'name') ?? []));
        pageToken = textAt(response, 'nextPageToken');
        if (pageToken === undefined) return names;
      }
      throw lost(
        `more than ${maxPages * 1000} objects begin with "${prefix}": use a longer prefix, such as gs://${bucket}/resync/eu/2026-11-23, or delete old recordings with a lifecycle rule`,
      );
    },
    read: (name, most) => ask(`/${encodeURIComponent(name)}?alt=media`, most),
  };
}

function tokenFrom(env: Environment): () => Promise<string> {
  const given = env[tokenVariable]?.trim() ?? '';
  if (given === '') {
    const tokens = serviceAccountTokens();
    return async () => `Bearer ${await tokens(false)}`;
  }
  return async () => {
    if (!/^[\x20-\x7e]+$/.test(given)) throw new Error(`${tokenVariable} is not a token`);
    return `Bearer ${given}`;
  };
}

function refusalOf({ code, body }: Received): string {
  if (code === 401) return `HTTP 401, the token is not valid or has expired; ${remedy}`;
  if (code === 403) return 'HTTP 403; grant the account roles/storage.objectViewer on the bucket';
  if (code === 404) return 'HTTP 404, there is no such bucket or object';
  return `HTTP ${code} ${body.toString().trim().slice(0, 300)}`;
}
