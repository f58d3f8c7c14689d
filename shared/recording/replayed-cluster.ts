import { canonicalJson, isMap } from '../canonical.ts';
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
import { isConflictResponse, type RecordedResponse, type Snapshot } from './snapshot.ts';

export interface Unanswered {
  readonly request: 'list' | 'get' | 'dryRun';
  readonly type: ResourceType;
  readonly key?: Key;
  readonly takenAs: 'absent' | 'empty' | 'unreadable';
}

/** Returns undefined if the result is unknown. Throws a KubeError if the server would refuse the request. */
export type AskOffline = (
  type: ResourceType,
  live: KubeObject | undefined,
  sent: Manifest | readonly JsonObject[],
) => KubeObject | undefined;

type Send = (cluster: Cluster) => Promise<unknown>;

export interface Replay {
  readonly snapshot: Snapshot;
  /** Sends a request that the recording lacks, and adds the response to the snapshot. */
  readonly complete?: ((send: Send) => Promise<void>) | undefined;
  /** True if the kinds only read objects of this type. */
  readonly isRead: (type: ResourceType) => boolean;
  /** Returns the digest itself if its value is unknown. */
  readonly restored: (digest: string) => string;
  readonly unanswered: Unanswered[];
  readonly askOffline?: AskOffline | undefined;
}

/**
 * Reads from a recording, and collects in `unanswered` each request without a recorded or simulated response, except
 * reads of metadata: only the pause of a rollout depends on these.
 *
 * Caveats: a child that is not in the recording counts as absent, because the kind may not have wanted it before. An
 * object that kinds only read counts as unreadable, because its absence would affect the children.
 */
export function replayedCluster(replay: Replay): Cluster {
  const { snapshot } = replay;
  const cluster: Cluster = {
    traffic: {},
    withTimeout: () => cluster,
    async list(type, selection, each) {
      const key = listKey(type, selection);
      const send: Send = (live) => live.list(type, selection, () => undefined);
      if (!snapshot.lists.has(key)) await replay.complete?.(send);
      const response = snapshot.lists.get(key);
      if (response === undefined) return unlisted(replay, type, selection);
      for (const live of foundIn(response) ?? []) each(asRead(type, live, replay));
    },
    get: (type, key) => find(replay, 'get', type, key),
    getMetadata: async (type, key) => (await find(replay, 'getMetadata', type, key))?.metadata,
    async apply(type, manifest, how) {
      const send: Send = (live) => live.apply(type, manifest, how);
      const { namespace, name } = manifest.metadata;
      const asked = { type, key: { namespace, name }, sent: manifest, manager: how.manager, send };
      return how.dryRun ? responseTo(replay, asked) : refuse();
    },
    create: refuse,
    async patch(type, key, patch) {
      const send: Send = (live) => live.patch(type, key, patch);
      return patch.dryRun
        ? responseTo(replay, { type, key, sent: patch.operations, send })
        : refuse();
    },
    remove: refuse,
  };
  return cluster;
}

interface Asked {
  readonly type: ResourceType;
  readonly key: Key;
  readonly send: Send;
  readonly sent: Manifest | readonly JsonObject[];
  readonly manager?: string | undefined;
}

async function responseTo(replay: Replay, asked: Asked): Promise<KubeObject> {
  const { snapshot, unanswered, complete } = replay;
  const { type, key, sent, send } = asked;
  const question = askKey(type, key, questionDigest(sent));
  const recorded = (): KubeObject | undefined => {
    const response = snapshot.asked.get(question);
    const found = isConflictResponse(response) ? undefined : foundIn(response);
    return found && asRead(type, found, replay);
  };
  const known = recorded() ?? simulated(replay, asked);
  if (known !== undefined) return known;
  if (!snapshot.asked.has(question) && !holdsMasked(type, sent)) await complete?.(send);
  const completed = recorded();
  if (completed !== undefined) return completed;
  if (!snapshot.asked.has(question))
    unanswered.push({ request: 'dryRun', type, key, takenAs: 'unreadable' });
  const verb = 'metadata' in sent ? 'apply' : 'patch';
  throw unrecorded(`dry-run ${verb} ${titleOf({ ...key, kind: type.kind })}`);
}

function simulated(replay: Replay, { type, key, sent, manager }: Asked): KubeObject | undefined {
  const live = foundIn(replay.snapshot.objects.get(objectKey(type, key)));
  const before = live == null ? undefined : asRead(type, live, replay);
  const masked = before && holdsMasked(type, sent) && appliedMasked(before, { sent, manager });
  // For a create, the object need not have been read.
  const isKnown = before !== undefined || !('metadata' in sent) || sent.metadata.uid === undefined;
  return masked || (isKnown ? replay.askOffline?.(type, before, sent) : undefined);
}

/** Simulates an apply of masked values. Returns undefined unless the manager owns exactly what is sent. */
function appliedMasked(live: KubeObject, { sent, manager }: Pick<Asked, 'sent' | 'manager'>) {
  const entry = live.metadata.managedFields?.find(
    (one) => one.manager === manager && one.operation === 'Apply' && one.subresource === undefined,
  );
  if (entry?.fieldsV1 === undefined || !('metadata' in sent)) return undefined;
  const { apiVersion: _, kind: __, data, ...content } = sent;
  const { name, namespace, uid, resourceVersion, ...metadata } = sent.metadata;
  const held = ownedFields(entry.fieldsV1, live).value;
  const applied = shortJson({ ...content, metadata, data: keysOf(data) });
  const isHeld = isMap(held) && canonicalJson({ ...held, data: keysOf(held.data) }) === applied;
  return isHeld ? { ...live, data: { ...(live.data as object), ...(data as object) } } : undefined;
}

const keysOf = (fields: Json | undefined): Json =>
  isMap(fields) ? Object.keys(fields).toSorted() : [];

const refuse = (): never => {
  throw new Error('a recording cannot be written to');
};

function foundIn<T>(response: RecordedResponse<T> | undefined): T | undefined {
  if (response === undefined) return undefined;
  if ('error' in response) throw errorFrom(response.error);
  return response.found;
}

async function find(
  replay: Replay,
  request: 'get' | 'getMetadata',
  type: ResourceType,
  key: Key,
): Promise<KubeObject | undefined> {
  const { objects, metadata } = replay.snapshot;
  const name = objectKey(type, key);
  const recorded = () => objects.get(name) ?? (request === 'get' ? undefined : metadata.get(name));
  if (recorded() === undefined) await replay.complete?.((cluster) => cluster[request](type, key));
  const response = recorded();
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

/** An unrecorded list by labels, which is of children, counts as empty. */
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
  return JSON.parse(JSON.stringify({ ...typed, digest: undefined }), (_, value) =>
    typeof value === 'string' ? restored(value) : value,
  );
}
