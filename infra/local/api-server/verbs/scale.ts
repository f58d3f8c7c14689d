import { assertAddressed } from '../decoding/address.ts';
import { assertScale, noScale } from '../decoding/scale-body.ts';
import { badPatch, badRequest, conflict, invalidObject, notFound } from '../errors/api-errors.ts';
import { invalid } from '../errors/field-error.ts';
import type { ApiError } from '../errors/status.ts';
import { managersOf } from '../fields/managers.ts';
import { own, put } from '../json/own.ts';
import { copyOf } from '../json/text.ts';
import { isObject, type JsonObject, numberAt, objectAt, textAt } from '../json/value.ts';
import type { KubeObject } from '../objects/object.ts';
import { selectorText } from '../printing/cells.ts';
import { compileJsonPath } from '../printing/json-path.ts';
import { parseObjectBody } from '../requests/body.ts';
import { type Writer, writerOf } from '../requests/write-options.ts';
import type { ScalePaths } from '../resources/resource.ts';
import type { ServerState } from '../resources/server-state.ts';
import { readIn, subjectOf, type Target } from '../resources/target.ts';
import { tracked } from '../writes/managed-fields.ts';
import { existing, updateObject } from '../writes/update-object.ts';
import type { Call, Outcome } from './call.ts';
import { assertPatch, patchFunction } from './patch-function.ts';
import { owns, withOwnEntry, withoutOwners } from './scale-ownership.ts';

/** GET of `scale`: the replicas of any scalable resource in one form. */
export function getScale({ store }: ServerState, { target }: Call): Outcome {
  const { served, namespace, name } = target;
  const stored = store.get(served.resource.collection, namespace, name);
  if (stored === undefined) throw notFound(subjectOf(target));
  return { kind: 'value', code: 200, value: scaleOf(readIn(served, stored), pathsOf(target)) };
}

/** PUT of `scale`: validates options and body before it looks up the object. */
export function updateScale(server: ServerState, call: Call): Outcome {
  const writer = writerOf(call);
  const wanted = parseObjectBody(call.body, call.contentType, 'Scale') ?? {};
  if (!isObject(wanted)) throw badRequest('Scale must be an object');
  const refuse = (why: string): ApiError => noScale(wanted, why);
  assertScale(wanted, { registry: server.registry, writer, refuse });
  assertAddressed(wanted, call.target);
  const uid = textAt(objectAt(wanted, 'metadata'), 'uid');
  return writeScale(server, call, { uid, change: () => wanted });
}

export function patchScale(server: ServerState, call: Call): Outcome {
  assertPatch(call);
  const writer = writerOf(call);
  const change = (scale: JsonObject): JsonObject => {
    const patched = patchFunction(call).change(scale);
    if (!isObject(patched)) throw badRequest('Scale must be an object');
    const refuse = (why: string): ApiError => badPatch(patched, why);
    assertScale(patched, { registry: server.registry, writer, refuse });
    assertAddressed(patched, call.target);
    return patched;
  };
  return writeScale(server, call, { change });
}

function pathsOf({ served }: Target): ScalePaths {
  const { scale } = served.version;
  if (scale === undefined) throw new Error(`${served.resource.plural} cannot be scaled`);
  return scale;
}

function firstOf(object: JsonObject, path: string): unknown {
  return compileJsonPath(path)(object)[0];
}

function scaleOf(object: KubeObject, paths: ScalePaths): JsonObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = firstOf(object, paths.specReplicasPath);
  const selector = paths.labelSelectorPath && firstOf(object, paths.labelSelectorPath);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
    spec: replicas ? { replicas } : {},
    status: {
      replicas: firstOf(object, paths.statusReplicasPath) ?? 0,
      ...(selector ? { selector: isObject(selector) ? selectorText(selector) : selector } : {}),
    },
  };
}

function writeScale(
  server: ServerState,
  call: Call,
  {
    uid = '',
    change,
  }: { readonly uid?: string; readonly change: (scale: JsonObject) => JsonObject },
): Outcome {
  const { target } = call;
  const writer = writerOf(call);
  const paths = pathsOf(target);
  const object = scaled(existing(server, target), { target, writer, uid, change });
  const stored = updateObject(server, object, { target, writer, uidIsPrecondition: true });
  return { kind: 'value', code: 200, value: scaleOf(readIn(target.served, stored), paths) };
}

interface Scaling {
  readonly target: Target;
  readonly writer: Writer;
  readonly uid: string;
  readonly change: (scale: JsonObject) => JsonObject;
}

/** The caller owns the replicas of the object itself, in an entry without a time, as in the real server. */
function scaled(old: KubeObject, { target, writer, uid, change }: Scaling): KubeObject {
  const paths = pathsOf(target);
  const updated = copyOf(old);
  if (uid !== '' && uid !== updated.metadata.uid) {
    // Reports a conflict before the validation errors of the scale.
    updated.metadata.uid = uid;
    return updated;
  }
  const scale = change(scaleOf(updated, paths));
  const replicas = wantedReplicas(scale, target);
  assertUid(objectAt(scale, 'metadata'), updated, target);
  const isSame = replicas === (firstOf(updated, paths.specReplicasPath) ?? 0);
  lockAs(updated, objectAt(scale, 'metadata'));
  if (target.served.resource.custom && textAt(scale, 'apiVersion') === '') {
    setReplicas(updated, paths, replicas);
    return withoutOwners(updated, paths);
  }
  if (isSame) return withOwnEntry(updated, paths);
  // Tracks the fields of the scale, which omits zero. So a manager that scales to zero owns nothing, and a
  // field without an owner stays untracked.
  const isOwned = managersOf(old)
    .values()
    .some(({ fieldsV1 }) => owns(fieldsV1, paths));
  setReplicas(updated, paths, replicas === 0 ? undefined : replicas);
  const result = isOwned ? tracked(updated, old, { target, writer }) : updated;
  setReplicas(result, paths, replicas);
  return result;
}

function wantedReplicas(scale: JsonObject, { name, served }: Target): number {
  const replicas = numberAt(objectAt(scale, 'spec'), 'replicas') ?? 0;
  // Validates a custom resource by its own schema.
  if (replicas >= 0 || served.resource.custom) return replicas;
  throw invalidObject({ group: 'autoscaling', kind: 'Scale', name }, [
    invalid('spec.replicas', replicas, 'must be greater than or equal to 0'),
  ]);
}

function setReplicas(
  object: KubeObject,
  { specReplicasPath }: ScalePaths,
  replicas: number | undefined,
): void {
  const parts = specReplicasPath.split('.').filter(Boolean);
  const last = parts.pop() ?? '';
  let node: JsonObject = object;
  for (const part of parts) {
    const child = own(node, part);
    const next: JsonObject = isObject(child) ? child : {};
    put(node, part, next);
    node = next;
  }
  if (replicas === undefined) delete node[last];
  else put(node, last, replicas);
}

function lockAs(object: KubeObject, metadata: JsonObject): void {
  const resourceVersion = textAt(metadata, 'resourceVersion');
  if (resourceVersion !== '') object.metadata.resourceVersion = resourceVersion;
}

/** A patch may contain the uid of a built-in object; the uid of a custom resource is ignored. */
function assertUid(wanted: JsonObject, { metadata }: KubeObject, { served, name }: Target): void {
  const { group, plural, custom } = served.resource;
  const uid = textAt(wanted, 'uid');
  if (custom || uid === '' || uid === metadata.uid) return;
  throw conflict(
    { group, plural: `${plural}/scale`, name },
    `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${metadata.uid}`,
  );
}
