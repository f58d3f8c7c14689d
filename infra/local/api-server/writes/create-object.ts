import { fillIn } from '../decoding/decode.ts';
import { alreadyExists, internal, otherNamespace } from '../errors/api-errors.ts';
import type { ApiError } from '../errors/status.ts';
import { zeroObject } from '../fields/zero-object.ts';
import { copyOf } from '../json/text.ts';
import { dropEmpty } from '../objects/metadata.ts';
import { generateName } from '../objects/names.ts';
import type { KubeObject } from '../objects/object.ts';
import { timestamp } from '../objects/object.ts';
import type { Writer } from '../requests/write-options.ts';
import type { ServerState } from '../resources/server-state.ts';
import { subjectOf, type Target, undecodable } from '../resources/target.ts';
import { type Stored, transient } from '../storage/stored.ts';
import { admitToNamespace } from './admission.ts';
import { storable } from './storable.ts';
import { assertValid, contextOf } from './validation.ts';

interface Creation {
  readonly target: Target;
  readonly writer: Writer;
  /** A POST must not contain a resourceVersion; in an apply it is a lock. */
  readonly isPost: boolean;
}

/**
 * Stores a new object: metadata, webhooks, the kind's own preparation, validation, commit. `given` is decoded, and its
 * managedFields are already set.
 */
export function createObject(
  server: ServerState,
  given: KubeObject,
  { target, writer, isPost }: Creation,
): Stored {
  const { resource } = target.served;
  if (resource.namespaced) given.metadata.namespace ||= target.namespace;
  else delete given.metadata.namespace;
  if (resource.collection !== 'namespaces') admitToNamespace(server, namedTarget(target, given));
  const object = server.webhooks.admit(given, target);
  const { metadata } = object;
  writer.assertGrant?.(object, undefined);
  const { resourceVersion } = metadata;
  prepare(server, object, target);
  const named = namedTarget(target, object);
  const context = contextOf(server, writer);
  resource.strategy.prepareForCreate?.(object, context);
  const malformed = (why: string): ApiError => undecodable(target.served, why);
  assertValid(named, object, { context, malformed });
  if (isPost && isVersion(resourceVersion) && !writer.dryRun) {
    throw internal('resourceVersion should not be set on objects to be created');
  }
  const existing = server.store.get(
    resource.collection,
    metadata.namespace ?? '',
    metadata.name ?? '',
  );
  if (existing) {
    const deleting = JSON.parse(existing.body).metadata.deletionTimestamp !== undefined;
    // With generateName the name counts as generated, even if the request contains a name.
    throw alreadyExists(subjectOf(named), { deleting, generated: !!metadata.generateName });
  }
  const fields = resource.strategy.selectableFields?.(object) ?? {};
  const stored = storable(target.served, object);
  if (writer.dryRun) return transient(withVersion(stored, resourceVersion), fields);
  const hasDefault = resource.custom && target.served.version.status && 'status' in stored;
  return server.store.put(resource.collection, stored, fields, hasDefault);
}

function isVersion(text: string | undefined): boolean {
  return /^0*[1-9]\d*$/.test(text ?? '');
}

/** A dry run shows the version in the request. */
function withVersion(object: KubeObject, resourceVersion: string | undefined): KubeObject {
  return resourceVersion
    ? { ...object, metadata: { ...object.metadata, resourceVersion } }
    : object;
}

function namedTarget(target: Target, { metadata }: KubeObject): Target {
  return {
    ...target,
    name: metadata.name ?? '',
  };
}

function prepare({ store, clock, uid }: ServerState, object: KubeObject, target: Target): void {
  const { resource } = target.served;
  const { metadata } = object;
  if (!metadata.name && metadata.generateName) {
    metadata.name = freeName(metadata.generateName, (name) =>
      store.get(resource.collection, metadata.namespace ?? '', name),
    );
  }
  if (target.served.version.status) resetStatus(object, target);
  dropEmpty(metadata);
  metadata.uid = uid();
  metadata.creationTimestamp = timestamp(clock());
  delete metadata.resourceVersion;
  delete metadata.selfLink;
  delete metadata.generation;
  if (resource.strategy.isNewGeneration) metadata.generation = 1;
}

/** A new object has no status; a built-in kind shows it with zero values, a custom one with its schema's default. */
function resetStatus(object: KubeObject, { served }: Target): void {
  if (served.resource.strategy.keepsStatus) return;
  const { schema } = served.version;
  delete object.status;
  const { status } = served.resource.custom ? fillIn(served, object) : zeroObject(schema);
  if (status !== undefined) object.status = copyOf(status);
}

const maxTries = 8;

function freeName(base: string, taken: (name: string) => unknown): string {
  for (let tries = 1; ; tries++) {
    const name = generateName(base);
    if (tries === maxTries || !taken(name)) return name;
  }
}

/** The checks of a POST that come before all others. */
export function assertCreatable(object: KubeObject, { namespace }: Target): void {
  const { metadata } = object;
  if (namespace !== '' && metadata.namespace && metadata.namespace !== namespace) {
    throw otherNamespace();
  }
}
