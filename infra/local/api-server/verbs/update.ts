import { assertAddressed } from '../decoding/address.ts';
import { decode } from '../decoding/decode.ts';
import { notFound } from '../errors/api-errors.ts';
import { writerOf } from '../requests/write-options.ts';
import type { ServerState } from '../resources/server-state.ts';
import { subjectOf } from '../resources/target.ts';
import { tracked } from '../writes/managed-fields.ts';
import { createByUpdate, currentOf, updateObject } from '../writes/update-object.ts';
import type { Call, Outcome } from './call.ts';

/** PUT: replaces an object, or the part of it that a subresource covers. */
export function update(server: ServerState, call: Call): Outcome {
  const { target } = call;
  const writer = writerOf(call);
  const object = decode(target.served, call, writer);
  assertAddressed(object, target);
  const old = currentOf(server, target);
  const { resource } = target.served;
  const creates = resource.strategy.allowCreateOnUpdate === true && target.subresource === '';
  if (old === undefined && !creates) throw notFound(subjectOf(target));
  const updated = tracked(object, old, { target, writer, now: server.clock() });
  const options = { target, writer, uidIsPrecondition: true };
  const stored =
    old === undefined
      ? createByUpdate(server, updated, options)
      : updateObject(server, updated, options);
  return { kind: 'object', code: old === undefined ? 201 : 200, stored, served: target.served };
}
