import { conflict, internal, invalidObject, notFound, STALE } from '../errors/errors.ts';
import type { ApiError } from '../errors/status.ts';
import { isUnchanged } from '../objects/equality.ts';
import type { KubeObject } from '../objects/object.ts';
import { invalid } from '../schema/field-error.ts';
import type { ApiServer } from '../server.ts';
import { type Stored, transient } from '../storage/stored.ts';
import { contextOf } from './context.ts';
import { createObject } from './create-object.ts';
import { badPatch, undecodable } from './decode.ts';
import { dropEmpty } from './metadata.ts';
import { registryKey } from './registry-key.ts';
import { restore } from './reset-fields.ts';
import { storable } from './storable.ts';
import { readIn, subjectOf, type Target, type Writer } from './target.ts';
import { assertValid } from './validation.ts';

export interface Update {
  readonly target: Target;
  readonly writer: Writer;
  /** Makes the wanted object of a private copy of the current one, managedFields included. */
  readonly transform: (old: KubeObject | undefined) => KubeObject;
  readonly createIfAbsent: boolean;
  /** Throws where the caller may update but not create. */
  readonly beforeCreate?: () => void;
  /** What cannot be read as the kind is then the patch's fault. */
  readonly isPatch?: boolean;
  /** A wrong uid is a lost race (PUT), not an attempt to change it (patches). */
  readonly uidIsPrecondition?: boolean;
}

export interface Written {
  readonly stored: Stored;
  readonly created: boolean;
}

/**
 * Replaces an object by what `transform` makes of it.
 *
 * Flow: transform, version lock, uid, the kind's own preparation, validation, no-op check, commit.
 * Guarantees: a stale version is told before an illegal object; an update that changes nothing is
 * no commit; the last finalizer of a deleted object takes the object with it.
 */
export const updateObject = (server: ApiServer, update: Update): Written => {
  const { target, writer, transform } = update;
  const { resource } = target.served;
  const current = server.store.get(resource.collection, target.namespace, target.name);
  if (current === undefined) return createInstead(server, update);
  const old = readIn(target.served, current);
  const object = transform(readIn(target.served, current));
  assertLock(update, object, old);
  prepare(server, update, { object, old });
  const context = contextOf(server, writer);
  const malformed = (why: string): ApiError =>
    update.isPatch ? badPatch(object, why) : undecodable(target.served, why);
  assertValid(target, object, { old, context, malformed });
  return { stored: commit(server, update, { current, object, old }), created: false };
};

const createInstead = (server: ApiServer, update: Update): Written => {
  const { target, writer, transform, createIfAbsent } = update;
  if (!createIfAbsent || target.subresource !== '') throw notFound(subjectOf(target));
  update.beforeCreate?.();
  const object = transform(undefined);
  const { uid, resourceVersion } = object.metadata;
  if (uid) {
    if (update.uidIsPrecondition) throw uidConflict(update, uid, '');
    throw conflict(
      subjectOf(target),
      `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`,
    );
  }
  assertVersionForm(resourceVersion);
  return { stored: createObject(server, object, { target, writer, isPost: false }), created: true };
};

const assertLock = (update: Update, object: KubeObject, old: KubeObject): void => {
  const { target } = update;
  const { uid, resourceVersion = '' } = object.metadata;
  if (update.uidIsPrecondition && uid && uid !== old.metadata.uid) {
    throw uidConflict(update, uid, old.metadata.uid ?? '');
  }
  const unlocked = resourceVersion === '' || resourceVersion === '0';
  if (unlocked && !target.served.resource.strategy.unconditionalUpdate) {
    const problem = invalid('metadata.resourceVersion', 0, 'must be specified for an update');
    const { group, plural } = target.served.resource;
    throw invalidObject({ group, kind: plural, name: target.name }, [problem]);
  }
  assertVersionForm(resourceVersion);
  if (!unlocked && resourceVersion !== old.metadata.resourceVersion) {
    throw conflict(subjectOf(target), STALE);
  }
};

const assertVersionForm = (resourceVersion = ''): void => {
  if (/^\d*$/.test(resourceVersion)) return;
  throw internal(`strconv.ParseUint: parsing ${JSON.stringify(resourceVersion)}: invalid syntax`);
};

const uidConflict = ({ target, writer }: Update, wanted: string, found: string): ApiError =>
  conflict(
    subjectOf(target),
    `StorageError: invalid object, Code: 4, Key: ${registryKey(target, writer)}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${found}`,
  );

const prepare = (
  server: ApiServer,
  { target, writer }: Update,
  { object, old }: { object: KubeObject; old: KubeObject },
): void => {
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
  // Scaling is a change of the object itself.
  if (target.subresource === 'status') return;
  strategy.prepareUpdate?.(object, old, contextOf(server, writer));
  if (strategy.isNewGeneration?.(object, old)) {
    metadata.generation = (old.metadata.generation ?? 0) + 1;
  }
};

const keepDeletion = ({ metadata }: KubeObject, old: KubeObject): void => {
  const { deletionTimestamp, deletionGracePeriodSeconds } = old.metadata;
  if (deletionTimestamp === undefined) return;
  metadata.deletionTimestamp = deletionTimestamp;
  if (deletionGracePeriodSeconds !== undefined) {
    metadata.deletionGracePeriodSeconds = deletionGracePeriodSeconds;
  }
};

const commit = (
  { store }: ApiServer,
  { target, writer }: Update,
  { current, object, old }: { current: Stored; object: KubeObject; old: KubeObject },
): Stored => {
  const { resource } = target.served;
  const isGone = isFinished(object, old) && !resource.strategy.staysUntilFinalized?.(object);
  if (!isGone && isUnchanged(object, old)) return current;
  const fields = resource.strategy.selectableFields?.(object) ?? {};
  const kept = storable(target.served, object);
  if (writer.dryRun) return transient(kept, fields);
  if (isGone) {
    store.remove(resource.collection, current.key);
    return transient(kept, fields);
  }
  return store.put(resource.collection, kept, fields);
};

const isFinished = ({ metadata }: KubeObject, old: KubeObject): boolean =>
  old.metadata.deletionTimestamp !== undefined && (metadata.finalizers ?? []).length === 0;
