import { badRequest, invalidObject, notFound } from '../errors/errors.ts';
import { isMap, type KubeObject, listAt, mapAt } from '../objects/object.ts';
import { parseObjectBody } from '../requests/body.ts';
import type { Call, Outcome } from '../requests/call.ts';
import { writerOf } from '../requests/write-options.ts';
import { ownFinalizerErrors } from '../resources/namespace.ts';
import type { ApiServer } from '../server.ts';
import { transient } from '../storage/stored.ts';
import { assertAddressed } from '../writes/address.ts';
import { readIn, subjectOf } from '../writes/target.ts';

/** PUT of a namespace's `finalize`: takes its finalizers away, and with the last one the namespace. */
export const finalize = (server: ApiServer, call: Call): Outcome => {
  const { target } = call;
  const { served, name } = target;
  const { dryRun } = writerOf(call);
  const wanted = parseObjectBody(call.body, call.contentType);
  if (!isMap(wanted)) throw badRequest('Namespace must be an object');
  const stored = server.store.get('namespaces', '', name);
  if (stored === undefined) throw notFound(subjectOf(target));
  assertAddressed(wanted as unknown as KubeObject, target);
  const object: KubeObject = readIn(served, stored);
  object.spec = {
    ...mapAt(object, 'spec'),
    finalizers: listAt(mapAt(wanted, 'spec'), 'finalizers'),
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
};
