import { assertAddressed } from '../decoding/address.ts';
import { assertMetadataForm, assertTyped, decodePatched } from '../decoding/decode.ts';
import { assertPatchedType } from '../decoding/patched-type.ts';
import { badPatch } from '../errors/api-errors.ts';
import type { ApiError } from '../errors/status.ts';
import { copyOf } from '../json/text.ts';
import type { KubeObject } from '../objects/object.ts';
import { applyPatchType, writerOf } from '../requests/write-options.ts';
import type { ServerState } from '../resources/server-state.ts';
import { prune } from '../schema/prune.ts';
import { tracked } from '../writes/managed-fields.ts';
import { existing, updateObject } from '../writes/update-object.ts';
import { apply } from './apply.ts';
import type { Call, Outcome } from './call.ts';
import { assertPatch, patchFunction } from './patch-function.ts';

/** PATCH of every type; the content type chooses it. */
export function patch(server: ServerState, call: Call): Outcome {
  const { target, contentType } = call;
  if (contentType === applyPatchType) return apply(server, call);
  assertPatch(call);
  const writer = writerOf(call);
  const { served } = target;
  const old = existing(server, target);
  const { change, withHalves, problems, keepsType } = patchFunction(call);
  const patched = change(copyOf(old)) as KubeObject;
  assertMetadataForm(patched);
  assertPatchedType(patched, { served, keepsType, writer, name: target.name });
  if (withHalves) {
    const { value } = prune(served.version.schema, withHalves(copyOf(old)));
    assertTyped(served, value, (why) => badPatch(patched, why));
  }
  const decoded = decodePatched(served, patched, { writer, problems });
  assertAddressed(decoded, target);
  const object = tracked(decoded, old, { target, writer, now: server.clock() });
  const malformed = (why: string): ApiError => badPatch(object, why);
  const stored = updateObject(server, object, { target, writer, malformed });
  return { kind: 'object', code: 200, stored, served };
}
