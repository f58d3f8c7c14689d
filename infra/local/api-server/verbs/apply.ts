import { assertAddressed } from '../decoding/address.ts';
import { assertTyped, duplicateKeys, fillIn, wronglyTyped } from '../decoding/decode.ts';
import { applyConflict, badRequest, internal, notFound } from '../errors/api-errors.ts';
import { DecodeError } from '../errors/decode-error.ts';
import { ApiError } from '../errors/status.ts';
import { serverSideApply } from '../fields/apply.ts';
import { conflictCauses, conflictMessage } from '../fields/conflict.ts';
import { isObject, textAt } from '../json/value.ts';
import { type KubeObject, timestamp } from '../objects/object.ts';
import { readApplyBody } from '../requests/body.ts';
import { isSet } from '../requests/query.ts';
import { type Writer, writerOf } from '../requests/write-options.ts';
import { groupVersionOf } from '../resources/resource.ts';
import type { ServerState } from '../resources/server-state.ts';
import { subjectOf, type Target } from '../resources/target.ts';
import { metadataProblem } from '../schema/metadata-form.ts';
import { prune } from '../schema/prune.ts';
import { wrapIntegers } from '../schema/wrap-integers.ts';
import { droppedVersion, trackingOf } from '../writes/managed-fields.ts';
import { createByUpdate, currentOf, updateObject } from '../writes/update-object.ts';
import type { Call, Outcome } from './call.ts';

/**
 * Server-side apply: create and update in one verb.
 *
 * Guarantees: a resourceVersion in the body is a lock; one that no live object has is a lock to absence. A
 * uid in the body never recreates an object. Without force, a change of another manager's field is a
 * conflict.
 */
export function apply(server: ServerState, call: Call): Outcome {
  const { target, query } = call;
  const writer = writerOf(call);
  const old = currentOf(server, target);
  if (target.subresource !== '' && old === undefined) throw notFound(subjectOf(target));
  const applied = appliedObject(call, writer);
  const force = isSet(query, 'force');
  if (old === undefined) call.authorizeCreate();
  const dropped = droppedVersion(target, old);
  if (dropped !== undefined) {
    const message = `request to convert CR to an invalid group/version: ${dropped}`;
    throw new ApiError({ message, code: 500 });
  }
  const object = merge(server, { target, writer, applied, old, force });
  const stored =
    old === undefined
      ? createByUpdate(server, object, { target, writer })
      : updateObject(server, object, { target, writer });
  return { kind: 'object', code: old === undefined ? 201 : 200, stored, served: target.served };
}

interface Merge {
  readonly target: Target;
  readonly writer: Writer;
  readonly applied: KubeObject;
  readonly old: KubeObject | undefined;
  readonly force: boolean;
}

function merge(server: ServerState, { target, writer, applied, old, force }: Merge): KubeObject {
  const result = serverSideApply({
    ...trackingOf(target, writer),
    now: timestamp(server.clock()),
    applied,
    force,
    live: old,
  });
  if (result.kind === 'invalid') throw internal(result.message);
  if (result.kind === 'conflict') {
    throw applyConflict(conflictMessage(result.conflicts), conflictCauses(result.conflicts));
  }
  const object = { ...result.object } as KubeObject;
  const { uid, resourceVersion } = applied.metadata ?? {};
  // If the object does not exist, the uid is refused first.
  const isGone = old === undefined && uid !== undefined && uid !== '';
  object.metadata = {
    ...object.metadata,
    ...(uid ? { uid } : {}),
    ...(resourceVersion ? { resourceVersion } : {}),
  };
  const decoded = decodeMerged(target, object, applied);
  if (!isGone) assertAddressed(decoded, target);
  return decoded;
}

/** Decodes the result like the object of any other write. */
function decodeMerged(target: Target, object: KubeObject, applied: KubeObject): KubeObject {
  const { served } = target;
  // Refuses a null that the schema of a custom resource forbids, instead of dropping it; a null status is
  // stored, but never shown.
  if (served.resource.custom && object.status === null) delete object.status;
  const value = served.resource.custom ? object : prune(served.version.schema, object).value;
  const unreadable = (why: string): ApiError => {
    const [namespace, name] = ['namespace', 'name'].map((one) => textAt(applied.metadata, one));
    const group = served.resource.group === '' ? '/' : '';
    const type = `${group}${groupVersionOf(served)}, Kind=${served.resource.kind}`;
    return internal(
      `failed to convert new object (${namespace}/${name}; ${type}) to proper version: unable to convert unstructured object to ${type}: ${jsonProblem(why)}`,
    );
  };
  // The live object has been decoded before, but the message names the place in the merged object.
  if (wronglyTyped(served, applied)) assertTyped(served, value, unreadable);
  try {
    return fillIn(served, value as KubeObject);
  } catch (error) {
    throw error instanceof DecodeError ? unreadable(error.message) : error;
  }
}

// The server decodes bytes through JSON here, and its message says so.
function jsonProblem(message: string): string {
  return message.startsWith('illegal base64') ? `error decoding from json: ${message}` : message;
}

function appliedObject({ target, body }: Call, writer: Writer): KubeObject {
  const { value: object, duplicates } = readApplyBody(body);
  if (duplicates.length > 0 && writer.fieldValidation === 'Strict') {
    throw badRequest(
      `error strict decoding YAML: error converting YAML to JSON: ${duplicateKeys(duplicates)}`,
    );
  }
  if (writer.fieldValidation === 'Warn') for (const one of duplicates) writer.warn(one);
  const { served } = target;
  if (!isObject(object)) throw badRequest('error decoding YAML: not an object');
  const metadata = isObject(object.metadata) ? object.metadata : {};
  assertType(object, served.resource.kind, groupVersionOf(served));
  const { managedFields } = metadata;
  // Invalid managedFields are refused later, as a wrong type.
  if (Array.isArray(managedFields) && metadataProblem({ managedFields }) === undefined) {
    throw badRequest('metadata.managedFields must be nil');
  }
  if (object.metadata === null) object.metadata = {};
  return wrapIntegers(served.version.schema, object, body) as KubeObject;
}

function assertType(object: Record<string, unknown>, kind: string, apiVersion: string): void {
  if (object.apiVersion === apiVersion && object.kind === kind) return;
  const given = textAt(object, 'apiVersion') || '/';
  const groupVersion = given.includes('/') ? given : `/${given}`;
  throw badRequest(`invalid object type: ${groupVersion}, Kind=${textAt(object, 'kind')}`);
}
