import { canonicalJson } from '../canonical.ts';
import type { Cluster, Key, Selection } from '../cluster/cluster.ts';
import { KubeError } from '../cluster/cluster-errors.ts';
import { secret } from '../kinds/child-types/core.ts';
import {
  apiVersionOf,
  groupResource,
  isSameType,
  type Json,
  type JsonObject,
  type KubeObject,
  type Manifest,
  type ResourceType,
  titleOf,
} from '../kubernetes.ts';
import { ownedFields } from '../plan/observed/owned-fields.ts';
import { shortJson } from '../plan/observed/short-text.ts';
import { holdsMasked } from './masking.ts';
import { askKey, errorFrom, listKey, objectKey, questionDigest } from './recording.ts';
import type { RecordedResponse, Snapshot } from './snapshot.ts';

export interface Unanswered {
  readonly request: 'list' | 'get' | 'dryRun';
  readonly type: ResourceType;
  readonly key?: Key;
  readonly takenAs: 'absent' | 'empty' | 'unreadable';
}

/** Returns undefined if the result is unknown. Throws a KubeError if the server refuses the request. */
export type AskServer = (
  type: ResourceType,
  live: KubeObject | undefined,
  sent: Manifest | readonly JsonObject[],
) => KubeObject | undefined | Promise<KubeObject | undefined>;

export interface Replay {
  readonly snapshot: Snapshot;
  /** True if the kinds only read objects of this type. */
  readonly isRead: (type: ResourceType) => boolean;
  /** Returns the digest itself if its value is unknown. */
  readonly restored: (digest: string) => string;
  readonly unanswered: Unanswered[];
  readonly askServer?: AskServer | undefined;
}

/**
 * Reads from a recording. Collects in `unanswered` each request without a recorded or simulated response, except
 * reads of metadata, because only the pause of a rollout depends on them.
 *
 * Caveats: a child that is not in the recording counts as absent, because the kind may not have wanted it before. An
 * object that kinds only read counts as unreadable, because its absence would affect the children.
 */
export function replayedCluster(replay: Replay): Cluster {
  const cluster: Cluster = {
    traffic: {},
    withTimeout: () => cluster,
    async list(type, selection, each) {
      const response = replay.snapshot.lists.get(listKey(type, selection));
      if (response === undefined) return unlisted(replay, type, selection);
      for (const live of foundIn(response) ?? []) each(asRead(type, live, replay));
    },
    get: async (type, key) => find(replay, 'get', type, key),
    getMetadata: async (type, key) => find(replay, 'getMetadata', type, key)?.metadata,
    async apply(type, manifest, { manager, dryRun }) {
      const { namespace, name } = manifest.metadata;
      const asked = { type, key: { namespace, name }, sent: manifest, manager };
      return dryRun ? responseTo(replay, asked) : refuse();
    },
    create: refuse,
    patch: async (type, key, { dryRun, operations: sent }) =>
      dryRun ? responseTo(replay, { type, key, sent }) : refuse(),
    remove: refuse,
  };
  return cluster;
}

interface Asked {
  readonly type: ResourceType;
  readonly key: Key;
  readonly sent: Manifest | readonly JsonObject[];
  readonly manager?: string | undefined;
}

async function responseTo(
  replay: Replay,
  { type, key, sent, manager }: Asked,
): Promise<KubeObject> {
  const { snapshot, unanswered, askServer } = replay;
  const found = foundIn(snapshot.asked.get(askKey(type, key, questionDigest(sent))));
  if (found !== undefined) return asRead(type, found, replay);
  const live = foundIn(snapshot.objects.get(objectKey(type, key)));
  const before = live == null ? undefined : withoutDigest(asRead(type, live, replay));
  const simulated = before && holdsMasked(type, sent) && appliedMasked(before, { sent, manager });
  // For a create, the object need not have been read.
  const isKnown = before !== undefined || !('metadata' in sent) || sent.metadata.uid === undefined;
  const result = simulated || (isKnown ? await askServer?.(type, before, sent) : undefined);
  if (result !== undefined) return result;
  unanswered.push({ request: 'dryRun', type, key, takenAs: 'unreadable' });
  const verb = 'metadata' in sent ? 'apply' : 'patch';
  throw unrecorded(`dry-run ${verb} ${titleOf({ ...key, kind: type.kind })}`);
}

/** Simulates an apply of masked values. Returns undefined if it would also change another field or drop a key. */
function appliedMasked(live: KubeObject, { sent, manager }: Pick<Asked, 'sent' | 'manager'>) {
  const entry = live.metadata.managedFields?.find(
    (one) => one.manager === manager && one.operation === 'Apply' && one.subresource === undefined,
  );
  if (entry?.fieldsV1 === undefined || !('metadata' in sent)) return undefined;
  const { apiVersion: _, kind: __, data, ...content } = sent;
  const { name, namespace, uid, resourceVersion, ...metadata } = sent.metadata;
  const { data: former, ...held } = (ownedFields(entry.fieldsV1, live).value ?? {}) as JsonObject;
  const keys = Object.keys(data as object);
  const isHeld = canonicalJson(held) === shortJson({ ...content, metadata });
  if (!isHeld || Object.keys((former ?? {}) as object).some((key) => !keys.includes(key)))
    return undefined;
  const owned = Object.fromEntries(keys.map((key) => [`f:${key}`, {}]));
  const managedFields = [{ ...entry, fieldsV1: { ...entry.fieldsV1, 'f:data': owned } }];
  const values = { ...(live.data as object), ...(data as object) };
  return { ...live, metadata: { ...live.metadata, managedFields }, data: values };
}

const withoutDigest = ({ digest: _, ...live }: KubeObject & { digest?: Json }): KubeObject => live;

const refuse = (): never => {
  throw new Error('a recording cannot be written to');
};

function foundIn<T>(response: RecordedResponse<T> | undefined): T | undefined {
  if (response === undefined) return undefined;
  if ('error' in response) throw errorFrom(response.error);
  return response.found;
}

function find(replay: Replay, request: 'get' | 'getMetadata', type: ResourceType, key: Key) {
  const { objects, metadata } = replay.snapshot;
  const name = objectKey(type, key);
  const response = objects.get(name) ?? (request === 'get' ? undefined : metadata.get(name));
  if (response !== undefined) {
    const live = foundIn(response);
    return live == null ? undefined : asRead(type, live, replay);
  }
  const isRead = replay.isRead(type) || request === 'getMetadata';
  if (request === 'get')
    replay.unanswered.push({ request, type, key, takenAs: isRead ? 'unreadable' : 'absent' });
  if (isRead) throw unrecorded(`read ${titleOf({ ...key, kind: type.kind })}`);
  return undefined;
}

/** Treats an unrecorded list of children, which selects by labels, as empty. Throws for other unrecorded lists. */
function unlisted({ unanswered }: Replay, type: ResourceType, selection: Selection): void {
  const isEmpty = selection.labels !== undefined;
  unanswered.push({ request: 'list', type, takenAs: isEmpty ? 'empty' : 'unreadable' });
  if (!isEmpty) throw unrecorded(`list ${groupResource(type)}`);
}

const unrecorded = (what: string): KubeError =>
  new KubeError(what, {
    code: 404,
    status: { reason: 'NotRecorded', message: 'it is not in the recording' },
  });

function asRead(type: ResourceType, live: KubeObject, { restored }: Replay): KubeObject {
  const typed: KubeObject = { ...live, apiVersion: apiVersionOf(type), kind: type.kind };
  if (!isSameType(type, secret)) return typed;
  return JSON.parse(JSON.stringify(typed), (_, value) =>
    typeof value === 'string' ? restored(value) : value,
  );
}
