import type { Key } from '../cluster/cluster.ts';
import { secret } from '../kinds/child-types/core.ts';
import { groupResource, type JsonObject, type KubeObject } from '../kubernetes.ts';
import {
  type AskLine,
  listKey,
  objectKey,
  type ReadLine,
  type RecordedError,
  type WriteLine,
} from './recording.ts';

export type RecordedResponse<T> = { readonly found: T } | { readonly error: RecordedError };

export type Snapshot = ReturnType<typeof snapshotOf>;

export function snapshotOf(lines: readonly (ReadLine | AskLine | WriteLine)[]) {
  // In order, because a failed list may have been repeated.
  const lists = new Map<string, RecordedResponse<readonly KubeObject[]>[]>();
  const objects = new Map<string, RecordedResponse<KubeObject | null>>();
  const metadata = new Map<string, RecordedResponse<KubeObject | null>>();
  // The responses to updates and dry runs by object, then by `questionDigest`.
  const asked = new Map<string, Map<string, RecordedResponse<KubeObject>>>();
  const digests = new Map<string, string>();
  const learn = (type: string, key: Key, response: RecordedResponse<KubeObject | null>): void => {
    const name = objectKey(type, key);
    if (!objects.has(name)) objects.set(name, response);
    const digest = 'found' in response ? (response.found as JsonObject | null)?.digest : undefined;
    if (type === groupResource(secret) && typeof digest === 'string') digests.set(name, digest);
  };
  for (const line of lines) {
    if (line.line === 'asked') {
      const response = 'error' in line ? line : { found: line.object };
      const key = objectKey(line.type, line);
      const about = asked.get(key) ?? new Map<string, RecordedResponse<KubeObject>>();
      if (!isConflictResponse(response) || !about.has(line.sent)) about.set(line.sent, response);
      asked.set(key, about);
    } else if (line.line === 'write') {
      // If the object had existed, the write would have been refused.
      if (line.lock === 'absent' && line.error === undefined)
        learn(line.type, line, { found: null });
    } else if (!('selection' in line)) {
      const response = 'error' in line ? line : { found: line.object };
      const isWhole = line.request === 'get' || ('found' in response && response.found === null);
      if (isWhole) learn(line.type, line, response);
      else metadata.set(objectKey(line.type, line), response);
    } else {
      const key = listKey(line.type, line.selection);
      const response = 'error' in line ? line : { found: line.items };
      lists.set(key, [...(lists.get(key) ?? []), response]);
      if ('items' in line && line.selection.metadataOnly !== true)
        for (const found of line.items) learn(line.type, found.metadata, { found });
    }
  }
  return { lists, objects, metadata, asked, digests };
}

export const isConflictResponse = (response: RecordedResponse<KubeObject> | undefined): boolean =>
  response !== undefined && 'error' in response && response.error.reason === 'Conflict';
