import { conflict, notFound } from '../errors/api-errors.ts';
import type { KubeObject } from '../objects/object.ts';
import { timestamp } from '../objects/object.ts';
import type { Writer } from '../requests/write-options.ts';
import type { ServerState } from '../resources/server-state.ts';
import { readIn, registryKey, subjectOf, type Target } from '../resources/target.ts';
import { encode, type Stored, transient } from '../storage/stored.ts';
import { storable } from './storable.ts';

export interface DeleteOptions {
  readonly propagationPolicy?: string;
  readonly orphanDependents?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
}

export interface Deleted {
  readonly stored: Stored;
  /** True if it was removed, false if it was only marked because finalizers remain. */
  readonly gone: boolean;
}

const orphanFinalizer = 'orphan';
const foregroundFinalizer = 'foregroundDeletion';

/**
 * Deletes an object, or marks it if finalizers keep it.
 *
 * Caveats: leaves dependents to the garbage collector, which sees the deletion.
 */
export function deleteObject(
  server: ServerState,
  options: DeleteOptions,
  { target, writer }: { readonly target: Target; readonly writer: Pick<Writer, 'dryRun'> },
): Deleted {
  const { resource } = target.served;
  const stored = server.store.get(resource.collection, target.namespace, target.name);
  if (stored === undefined) throw notFound(subjectOf(target));
  assertPreconditions(options, target, stored);
  resource.strategy.assertDeletable?.(target.name);
  const object = readIn(target.served, stored);
  const { orphansDependents = false } = resource.strategy;
  const remaining = finalizersFor(object, options, orphansDependents);
  const own = isMarked(object) ? [] : (resource.strategy.deletionFinalizers ?? []);
  const finalizers = [...own.filter((one) => !remaining.includes(one)), ...remaining];
  resource.strategy.prepareForDelete?.(object, server.clock());
  if (finalizers.length === 0 && !resource.strategy.hasOtherFinalizers?.(object)) {
    if (!writer.dryRun) assertNotLost(object, options, { target, stored });
    const change = writer.dryRun ? undefined : server.store.remove(resource.collection, stored.key);
    return { stored: change ? encode(object, change.revision, stored.fields) : stored, gone: true };
  }
  const graceful = resource.strategy.noGracePeriod !== true;
  const marked = mark(server, object, { finalizers, graceful });
  const fields = resource.strategy.selectableFields?.(object) ?? {};
  const kept = storable(target.served, object);
  if (writer.dryRun || !marked) return { stored: transient(kept, fields), gone: false };
  return { stored: server.store.put(resource.collection, kept, fields), gone: false };
}

function assertPreconditions(options: DeleteOptions, target: Target, stored: Stored): void {
  const { group, kind } = target.served.resource;
  const { uid, resourceVersion } = options.preconditions ?? {};
  const subject = { group, plural: kind, name: target.name };
  if (uid !== undefined && uid !== stored.uid) {
    throw conflict(
      subject,
      `the UID in the precondition (${uid}) does not match the UID in record (${stored.uid}). The object might have been deleted and then recreated`,
    );
  }
  if (resourceVersion !== undefined && resourceVersion !== String(stored.revision)) {
    throw conflict(
      subject,
      `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${stored.revision}). The object might have been modified`,
    );
  }
}

/**
 * The real server removes the last finalizer and the object in one step and loses the requested version on
 * the way, so such a delete never succeeds.
 */
function assertNotLost(
  { metadata }: KubeObject,
  { preconditions }: DeleteOptions,
  { target, stored }: { readonly target: Target; readonly stored: Stored },
): void {
  const isLocked = preconditions?.resourceVersion !== undefined;
  if (!isLocked || (metadata.finalizers ?? []).length === 0) return;
  throw conflict(
    subjectOf(target),
    `StorageError: invalid object, Code: 4, Key: ${registryKey(target, { dryRun: false })}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ResourceVersion in precondition: , ResourceVersion in object meta: ${stored.revision}`,
  );
}

/** Returns the remaining finalizers, including those of the propagation policy. */
function finalizersFor(
  { metadata }: KubeObject,
  options: DeleteOptions,
  orphansDependents: boolean,
): string[] {
  const present = metadata.finalizers ?? [];
  const others = present.filter((one) => one !== orphanFinalizer && one !== foregroundFinalizer);
  const chosen = policyOf(options);
  const policy =
    chosen ??
    (present.includes(orphanFinalizer)
      ? 'Orphan'
      : present.includes(foregroundFinalizer)
        ? 'Foreground'
        : orphansDependents && 'Orphan');
  const wanted =
    policy === 'Orphan' ? [orphanFinalizer] : policy === 'Foreground' ? [foregroundFinalizer] : [];
  const remaining = [...others, ...wanted];
  // Returns the present list if it has the same members, with its order and duplicates.
  const isSame = new Set(remaining).symmetricDifference(new Set(present)).size === 0;
  return isSame ? present : remaining;
}

function policyOf({ propagationPolicy, orphanDependents }: DeleteOptions): string | undefined {
  if (propagationPolicy !== undefined) return propagationPolicy;
  if (orphanDependents === undefined) return undefined;
  return orphanDependents ? 'Orphan' : 'Background';
}

function isMarked({ metadata }: KubeObject): boolean {
  return metadata.deletionTimestamp !== undefined;
}

/** Marks the object as being deleted; returns false if it was already marked in the same way. */
function mark(
  { clock }: ServerState,
  object: KubeObject,
  { finalizers, graceful }: { readonly finalizers: string[]; readonly graceful: boolean },
): boolean {
  const { metadata } = object;
  const sameFinalizers = finalizers.join() === (metadata.finalizers ?? []).join();
  if (isMarked(object) && sameFinalizers) return false;
  if (finalizers.length > 0) metadata.finalizers = finalizers;
  else delete metadata.finalizers;
  if (!isMarked(object)) {
    metadata.deletionTimestamp = timestamp(clock());
    if (graceful) markGraceful(object);
  } else if (graceful) metadata.deletionGracePeriodSeconds ??= 0;
  return true;
}

function markGraceful({ metadata }: KubeObject): void {
  metadata.deletionGracePeriodSeconds = 0;
  if (metadata.generation !== undefined) metadata.generation += 1;
}
