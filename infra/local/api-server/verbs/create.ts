import type { Call, Outcome } from '../requests/call.ts';
import { writerOf } from '../requests/write-options.ts';
import type { ApiServer } from '../server.ts';
import { assertCreatable, createObject } from '../writes/create-object.ts';
import { decode } from '../writes/decode.ts';
import { tracked } from './managed-fields.ts';

/** POST: a new object; its writer owns the server's defaults too. */
export const create = (server: ApiServer, call: Call): Outcome => {
  const { target } = call;
  const writer = writerOf(call);
  const object = decode(call, writer);
  assertCreatable(object, target);
  // An apply that creates keeps these.
  delete object.metadata.deletionTimestamp;
  delete object.metadata.deletionGracePeriodSeconds;
  const owned = tracked(object, undefined, { target, writer, now: server.clock() });
  const stored = createObject(server, owned, { target, writer, isPost: true });
  return { kind: 'object', code: 201, stored, served: target.served };
};
