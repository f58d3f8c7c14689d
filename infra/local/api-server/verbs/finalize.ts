import { assertAddressed } from '../decoding/address.ts';
import { badRequest, invalidObject, notFound } from '../errors/api-errors.ts';
import { isObject, listAt, objectAt } from '../json/value.ts';
import { ownFinalizerErrors } from '../kinds/namespace.ts';
import type { KubeObject } from '../objects/object.ts';
import { parseObjectBody } from '../requests/body.ts';
import { writerOf } from '../requests/write-options.ts';
import type { ServerState } from '../resources/server-state.ts';
import { readIn, subjectOf } from '../resources/target.ts';
import { transient } from '../storage/stored.ts';
import type { Call, Outcome } from './call.ts';

/** PUT of a namespace's `finalize`: removes finalizers, and with the last finalizer the namespace. */
export function finalize(server: ServerState, call: Call): Outcome {
  const { target } = call;
  const { served, name } = target;
  const { dryRun } = writerOf(call);
  const wanted = parseObjectBody(call.body, call.contentType);
  if (!isObject(wanted)) throw badRequest('Namespace must be an object');
  const stored = server.store.get('namespaces', '', name);
  if (stored === undefined) throw notFound(subjectOf(target));
  assertAddressed(wanted, target);
  const object: KubeObject = readIn(served, stored);
  object.spec = {
    ...objectAt(object, 'spec'),
    finalizers: listAt(objectAt(wanted, 'spec'), 'finalizers'),
  };
  const errors = ownFinalizerErrors(object);
  if (errors.length > 0) throw invalidObject({ group: '', kind: 'Namespace', name }, errors);
  const fields = stored.fields;
  if (dryRun) return { kind: 'object', code: 200, stored: transient(object, fields), served };
  const finished =
    object.metadata.deletionTimestamp !== undefined &&
    listAt(object.spec as Record<string, unknown>, 'finalizers').length === 0;
  if (finished) {
    server.store.remove('namespaces', name);
    return { kind: 'object', code: 200, stored: transient(object, fields), served };
  }
  return {
    kind: 'object',
    code: 200,
    stored: server.store.put('namespaces', object, fields),
    served,
  };
}
