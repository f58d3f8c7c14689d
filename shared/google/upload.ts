import { askService, isSuccess } from '../cluster/ask-service.ts';
import { messageOf } from '../cluster/cluster-errors.ts';
import type { Received } from '../cluster/http/http-answer.ts';
import { final, retry } from '../cluster/retry.ts';
import { present } from '../json.ts';
import { serviceAccountTokens } from './metadata-server.ts';
import type { BucketSettings } from './settings.ts';

interface UploadOptions {
  readonly tokens?: (fresh: boolean) => Promise<string>;
  /** Delay before the second attempt in milliseconds, doubled before each further one; default: 200. */
  readonly backoffMs?: number;
}

/**
 * Creates objects in a bucket, as the function's own service account.
 *
 * Guarantees: no object is replaced. Transient errors are retried while there is time. An error names the
 * bucket and a remedy.
 */
export function openUpload({ bucket, emulator }: BucketSettings, options: UploadOptions = {}) {
  const { tokens = serviceAccountTokens(), backoffMs = 200 } = options;
  const base = emulator === undefined ? 'https://storage.googleapis.com' : `http://${emulator}`;
  const lost = (why: string): Error => new Error(`cannot write to the bucket ${bucket}: ${why}`);
  const send = async (name: string, body: Uint8Array, until: number): Promise<void> => {
    const token =
      emulator === undefined
        ? await tokens(false).catch((error: unknown) => {
            // Does not retry, because the request to the metadata server was retried already.
            throw final(lost(messageOf(error)));
          })
        : undefined;
    const query = new URLSearchParams({ uploadType: 'media', ifGenerationMatch: '0', name });
    const answer = await askService(`${base}/upload/storage/v1/b/${bucket}/o?${query}`, {
      ms: Math.max(1, until - Date.now()),
      headers: {
        'content-type': 'application/gzip',
        ...present({ authorization: token && `Bearer ${token}` }),
      },
      body,
    }).catch((error: unknown) => {
      throw lost(`no answer (${messageOf(error)})`);
    });
    // 412 means that an earlier attempt created the object and its response was lost.
    if (isSuccess(answer) || answer.code === 412) return;
    const error = lost(refusalOf(answer));
    throw isTransient(answer) ? error : final(error);
  };
  return (name: string, content: Uint8Array, until: number): Promise<void> =>
    retry(() => send(name, content, until), { deadline: until, backoffMs });
}

const isTransient = ({ code }: Received): boolean => code === 408 || code === 429 || code >= 500;

function refusalOf({ code, body }: Received): string {
  if (code === 401 || code === 403)
    return `HTTP ${code}; grant its service account roles/storage.objectCreator on the bucket`;
  if (code === 404) return 'HTTP 404, there is no such bucket; create it, or correct RECORD_BUCKET';
  return `HTTP ${code} ${body.toString().trim().slice(0, 300)}`;
}
