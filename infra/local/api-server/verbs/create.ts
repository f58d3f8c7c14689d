import { decode } from '../decoding/decode.ts';
import { writerOf } from '../requests/write-options.ts';
import type { ServerState } from '../resources/server-state.ts';
import { assertCreatable, createObject } from '../writes/create-object.ts';
import { tracked } from '../writes/managed-fields.ts';
import type { Call, Outcome } from './call.ts';

/** POST: creates an object; the server's defaults belong to its writer, too. */
export function create(server: ServerState, call: Call): Outcome {
  const { target } = call;
  const writer = writerOf(call);
  const object = decode(target.served, call, writer);
  assertCreatable(object, target);
  // A POST drops these fields; an apply that creates keeps them.
  delete object.metadata.deletionTimestamp;
  delete object.metadata.deletionGracePeriodSeconds;
  const owned = tracked(object, undefined, { target, writer, now: server.clock() });
  const stored = createObject(server, owned, { target, writer, isPost: true });
  return { kind: 'object', code: 201, stored, served: target.served };
}
