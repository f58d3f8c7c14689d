import { conflict, internal, invalidObject, notFound, staleMessage } from '../errors/api-errors.ts';
import { invalid } from '../errors/field-error.ts';
import type { ApiError } from '../errors/status.ts';
import { isUnchanged } from '../objects/equality.ts';
import { dropEmpty } from '../objects/metadata.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Writer } from '../requests/write-options.ts';
import type { ServerState } from '../resources/server-state.ts';
import { readIn, registryKey, subjectOf, type Target, undecodable } from '../resources/target.ts';
import { type Stored, transient } from '../storage/stored.ts';
import { createObject } from './create-object.ts';
import { restore } from './reset-fields.ts';
import { storable } from './storable.ts';
import { assertValid, contextOf } from './validation.ts';

export interface Update {
  readonly target: Target;
  readonly writer: Writer;
  /** True for a PUT, where a wrong uid is a conflict; in a patch, it is an attempt to change the uid. */
  readonly uidIsPrecondition?: boolean;
  /** Builds the answer for an object that cannot be decoded as its kind; default: the one for such a body. */
  readonly malformed?: (why: string) => ApiError;
}

/** Returns a private copy of the stored object; undefined if there is none. */
export function currentOf(
  { store }: ServerState,
  { served, namespace, name }: Target,
): KubeObject | undefined {
  const stored = store.get(served.resource.collection, namespace, name);
  return stored && readIn(served, stored);
}

/** Returns a private copy of the stored object; throws a 404 if there is none. */
export function existing(server: ServerState, target: Target): KubeObject {
  const object = currentOf(server, target);
  if (object === undefined) throw notFound(subjectOf(target));
  return object;
}

/**
 * Replaces a stored object by `given`, which was made from a copy of it and includes managedFields.
 *
 * Flow: webhooks, version lock, uid, the kind's own preparation, validation, no-op check, commit.
 * Guarantees: a stale version is refused before an invalid object. An update without a change is no commit.
 * The object is removed with the last finalizer if it is being deleted.
 */
export function updateObject(server: ServerState, given: KubeObject, update: Update): Stored {
  const { target, writer } = update;
  const { served, namespace, name } = target;
  const current = server.store.get(served.resource.collection, namespace, name);
  if (current === undefined) throw notFound(subjectOf(target));
  const old = readIn(served, current);
  const object = server.webhooks.admit(given, target);
  writer.assertGrant?.(object, old);
  assertLock(update, object, old);
  prepare(server, update, { object, old });
  const context = contextOf(server, writer);
  const { malformed = (why) => undecodable(served, why) } = update;
  assertValid(target, object, { old, context, malformed });
  return commit(server, update, { current, object, old });
}

/** Creates an object by a verb that normally updates, if there is nothing to update. */
export function createByUpdate(server: ServerState, object: KubeObject, update: Update): Stored {
  const { target, writer } = update;
  const { uid, resourceVersion } = object.metadata;
  if (uid) {
    if (update.uidIsPrecondition) throw uidConflict(update, uid, '');
    throw conflict(
      subjectOf(target),
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    );
  }
  assertVersionForm(resourceVersion);
  return createObject(server, object, { target, writer, isPost: false });
}

function assertLock(update: Update, object: KubeObject, old: KubeObject): void {
  const { target } = update;
  const { uid, resourceVersion = '' } = object.metadata;
  if (update.uidIsPrecondition && uid && uid !== old.metadata.uid) {
    throw uidConflict(update, uid, old.metadata.uid ?? '');
  }
  const unlocked = resourceVersion === '' || resourceVersion === '0';
  if (unlocked && !target.served.resource.strategy.allowUnconditionalUpdate) {
    const problem = invalid('metadata.resourceVersion', 0, 'must be specified for an update');
    const { group, plural } = target.served.resource;
    throw invalidObject({ group, kind: plural, name: target.name }, [problem]);
  }
  assertVersionForm(resourceVersion);
  if (!unlocked && resourceVersion !== old.metadata.resourceVersion) {
    throw conflict(subjectOf(target), staleMessage);
  }
}

function assertVersionForm(resourceVersion = ''): void {
  if (/^\d*$/.test(resourceVersion)) return;
  throw internal(`strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`);
}

function uidConflict({ target, writer }: Update, wanted: string, found: string): ApiError {
  return conflict(
    subjectOf(target),
    `StorageError: invalid object, Code: 4, Key: ${registryKey(target, writer)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`,
  );
}

function prepare(
  server: ServerState,
  { target, writer }: Update,
  { object, old }: { object: KubeObject; old: KubeObject },
): void {
  const { strategy, namespaced } = target.served.resource;
  const { metadata } = object;
  restore(target, object, old);
  dropEmpty(metadata);
  metadata.resourceVersion = old.metadata.resourceVersion ?? '';
  delete metadata.selfLink;
  metadata.uid ||= old.metadata.uid ?? '';
  metadata.creationTimestamp = old.metadata.creationTimestamp ?? null;
  if (namespaced) metadata.namespace ||= target.namespace;
  keepDeletion(object, old);
  delete metadata.generation;
  if (old.metadata.generation !== undefined) metadata.generation = old.metadata.generation;
  // A change of the scale counts as a change of the object.
  if (target.subresource === 'status') return;
  strategy.prepareForUpdate?.(object, old, contextOf(server, writer));
  if (strategy.isNewGeneration?.(object, old)) {
    metadata.generation = (old.metadata.generation ?? 0) + 1;
  }
}

function keepDeletion({ metadata }: KubeObject, old: KubeObject): void {
  const { deletionTimestamp, deletionGracePeriodSeconds } = old.metadata;
  if (deletionTimestamp === undefined) return;
  metadata.deletionTimestamp = deletionTimestamp;
  if (deletionGracePeriodSeconds !== undefined) {
    metadata.deletionGracePeriodSeconds = deletionGracePeriodSeconds;
  }
}

function commit(
  { store }: ServerState,
  { target, writer }: Update,
  { current, object, old }: { current: Stored; object: KubeObject; old: KubeObject },
): Stored {
  const { resource } = target.served;
  const isGone = isFinished(object, old) && !resource.strategy.hasOtherFinalizers?.(object);
  if (!isGone && !current.isFilledIn && isUnchanged(object, old)) return current;
  const fields = resource.strategy.selectableFields?.(object) ?? {};
  const kept = storable(target.served, object);
  if (writer.dryRun) return transient(kept, fields);
  if (isGone) {
    store.remove(resource.collection, current.key);
    return transient(kept, fields);
  }
  return store.put(resource.collection, kept, fields);
}

function isFinished({ metadata }: KubeObject, old: KubeObject): boolean {
  return old.metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
}
