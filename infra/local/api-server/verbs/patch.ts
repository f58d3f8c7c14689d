import { copyOf } from '../objects/json-text.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Call, Outcome } from '../requests/call.ts';
import { writerOf } from '../requests/write-options.ts';
import { prune } from '../schema/prune.ts';
import type { ApiServer } from '../server.ts';
import { assertAddressed } from '../writes/address.ts';
import { assertMetadataForm, assertTyped, badPatch, decodePatched } from '../writes/decode.ts';
import { updateObject } from '../writes/update-object.ts';
import { apply } from './apply.ts';
import { tracked } from './managed-fields.ts';
import { APPLY, assertPatch, patchFunction } from './patch-function.ts';
import { assertPatchedType } from './patched-type.ts';

/** PATCH in all its types; which one is meant, the content type says. */
export const patch = (server: ApiServer, call: Call): Outcome => {
  const { target, contentType } = call;
  if (contentType === APPLY) return apply(server, call);
  assertPatch(call);
  const writer = writerOf(call);
  const { served } = target;
  const { stored } = updateObject(server, {
    target,
    writer,
    createIfAbsent: false,
    isPatch: true,
    transform: (old) => {
      const { change, withHalves, problems, keepsType } = patchFunction(call);
      const patched = change(copyOf(old)) as KubeObject;
      assertMetadataForm(patched);
      assertPatchedType(patched, { served, keepsType, writer, name: target.name });
      if (withHalves) {
        const { value } = prune(served.version.schema, withHalves(copyOf(old)));
        assertTyped(served, value, (why) => badPatch(patched, why));
      }
      const object = decodePatched(served, patched, { writer, problems });
      assertAddressed(object, target);
      return tracked(object, old, { target, writer, now: server.clock() });
    },
  });
  return { kind: 'object', code: 200, stored, served };
};
