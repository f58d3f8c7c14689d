import { refusal } from '../authorization/attributes.ts';
import {
  applyConflict,
  badRequest,
  forbiddenRequest,
  internal,
  notFound,
} from '../errors/errors.ts';
import type { ApiError } from '../errors/status.ts';
import { serverSideApply } from '../fields/apply.ts';
import { conflictCauses, conflictMessage } from '../fields/conflict.ts';
import { isDecodeError } from '../objects/decode-error.ts';
import { isMap, type KubeObject, textAt } from '../objects/object.ts';
import { timestamp } from '../objects/time.ts';
import { readApplyBody } from '../requests/body.ts';
import { isSet } from '../requests/boolean.ts';
import type { Call, Outcome } from '../requests/call.ts';
import { assertApplyOptions, writerOf } from '../requests/write-options.ts';
import { groupVersionOf } from '../resources/resource.ts';
import { metadataProblem } from '../schema/metadata-form.ts';
import { prune } from '../schema/prune.ts';
import { wrapIntegers } from '../schema/wrap-integers.ts';
import type { ApiServer } from '../server.ts';
import { assertAddressed } from '../writes/address.ts';
import { assertTyped, duplicateKeys, fillIn } from '../writes/decode.ts';
import { subjectOf, type Target, type Writer } from '../writes/target.ts';
import { updateObject } from '../writes/update-object.ts';
import { trackingOf } from './managed-fields.ts';

/**
 * Server-side apply: create and update in one verb.
 *
 * Guarantees: a resourceVersion in the body locks (one that no live object has locks to absence),
 * a uid in the body never resurrects; without force another manager's field is a conflict.
 */
export const apply = (server: ApiServer, call: Call): Outcome => {
  assertApplyOptions(call);
  const { target, query } = call;
  const writer = writerOf(call);
  const { subresource, namespace, name, served } = target;
  const isThere = server.store.get(served.resource.collection, namespace, name) !== undefined;
  if (subresource !== '' && !isThere) throw notFound(subjectOf(target));
  const applied = appliedObject(call, writer);
  const force = isSet(query, 'force');
  const { stored, created } = updateObject(server, {
    target,
    writer,
    createIfAbsent: true,
    beforeCreate: () => authorizeCreate(server, call),
    transform: (old) => merge(server, { target, writer, applied, old, force }),
  });
  return { kind: 'object', code: created ? 201 : 200, stored, served: target.served };
};

// An apply that creates needs the verb create as well.
const authorizeCreate = ({ authorizer }: ApiServer, { user, target }: Call): void => {
  const { served, namespace, name } = target;
  const { group, plural } = served.resource;
  const attributes = {
    user,
    verb: 'create',
    group,
    resource: plural,
    subresource: '',
    namespace,
    name,
  };
  if (!authorizer.allows(attributes))
    throw forbiddenRequest(subjectOf(target), refusal(attributes));
};

interface Merge {
  readonly target: Target;
  readonly writer: Writer;
  readonly applied: KubeObject;
  readonly old: KubeObject | undefined;
  readonly force: boolean;
}

const merge = (server: ApiServer, { target, writer, applied, old, force }: Merge): KubeObject => {
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
  const object = { ...result.object } as unknown as KubeObject;
  const { uid, resourceVersion } = applied.metadata ?? {};
  // Of an object that is not there the uid is told first.
  const isGone = old === undefined && uid !== undefined && uid !== '';
  object.metadata = {
    ...object.metadata,
    ...(uid ? { uid } : {}),
    ...(resourceVersion ? { resourceVersion } : {}),
  };
  const decoded = decodeMerged(target, object, applied);
  if (!isGone) assertAddressed(decoded, target);
  return decoded;
};

/** Brings the result to the form in which every other write is decoded. */
const decodeMerged = (target: Target, object: KubeObject, applied: KubeObject): KubeObject => {
  const { served } = target;
  // A null that the schema of a custom resource forbids is refused, not dropped; a status of null
  // is stored unseen.
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
  assertTyped(served, value, unreadable);
  try {
    return fillIn(served, value as KubeObject);
  } catch (error) {
    throw isDecodeError(error) ? unreadable(error.message) : error;
  }
};

// Bytes are read through JSON there, which says so.
const jsonProblem = (message: string): string =>
  message.startsWith('illegal base64') ? `error decoding from json: ${message}` : message;

const appliedObject = ({ target, body }: Call, writer: Writer): KubeObject => {
  const { value: object, duplicates } = readApplyBody(body);
  if (duplicates.length > 0 && writer.fieldValidation === 'Strict') {
    throw badRequest(
      `error strict decoding YAML: error converting YAML to JSON: ${duplicateKeys(duplicates)}`,
    );
  }
  if (writer.fieldValidation === 'Warn') for (const one of duplicates) writer.warn(one);
  const { served } = target;
  if (!isMap(object)) throw badRequest('error decoding YAML: not an object');
  const metadata = isMap(object.metadata) ? object.metadata : {};
  assertType(object, served.resource.kind, groupVersionOf(served));
  const { managedFields } = metadata;
  // Managers that are none are a matter of types, and told of as such.
  if (Array.isArray(managedFields) && metadataProblem({ managedFields }) === undefined) {
    throw badRequest('metadata.managedFields must be nil');
  }
  if (object.metadata === null) object.metadata = {};
  return wrapIntegers(served.version.schema, object, body) as KubeObject;
};

const assertType = (object: Record<string, unknown>, kind: string, apiVersion: string): void => {
  if (object.apiVersion === apiVersion && object.kind === kind) return;
  const given = textAt(object, 'apiVersion') || '/';
  const groupVersion = given.includes('/') ? given : `/${given}`;
  throw badRequest(`invalid object type: ${groupVersion}, Kind=${textAt(object, 'kind')}`);
};
