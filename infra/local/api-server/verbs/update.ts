import type { Call, Outcome } from '../requests/call.ts';
import { writerOf } from '../requests/write-options.ts';
import type { ApiServer } from '../server.ts';
import { assertAddressed } from '../writes/address.ts';
import { decode } from '../writes/decode.ts';
import { updateObject } from '../writes/update-object.ts';
import { tracked } from './managed-fields.ts';

/** PUT: replaces an object, or its part behind a subresource. */
export const update = (server: ApiServer, call: Call): Outcome => {
  const { target } = call;
  const writer = writerOf(call);
  const object = decode(call, writer);
  assertAddressed(object, target);
  const { stored, created } = updateObject(server, {
    target,
    writer,
    createIfAbsent: target.served.resource.strategy.createOnUpdate === true,
    uidIsPrecondition: true,
    transform: (old) => tracked(object, old, { target, writer, now: server.clock() }),
  });
  return { kind: 'object', code: created ? 201 : 200, stored, served: target.served };
};
