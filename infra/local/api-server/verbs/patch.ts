import {
  badRequest,
  internal,
  otherNamespace,
  unnamed,
  unsupportedMediaType,
  unsupportedPatch,
} from '../errors/errors.ts';
import { ApiError } from '../errors/status.ts';
import { typeProblem } from '../objects/go-json.ts';
import { isMap, type KubeObject } from '../objects/object.ts';
import { applyJsonPatch, JsonPatchError } from '../patches/json-patch.ts';
import { applyMergePatch } from '../patches/merge-patch.ts';
import { applyStrategicMergePatch, StrategicPatchError } from '../patches/strategic-merge-patch.ts';
import type { Call, Outcome } from '../requests/call.ts';
import { assertNoForce, writerOf } from '../requests/write-options.ts';
import type { ApiServer } from '../server.ts';
import { assertMetadataForm, badPatch, decodePatched } from '../writes/decode.ts';
import type { Target } from '../writes/target.ts';
import { updateObject } from '../writes/update-object.ts';
import { apply } from './apply.ts';
import { tracked } from './managed-fields.ts';

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
const APPLY = 'application/apply-patch+yaml';

/** PATCH in all its types; which one is meant, the content type says. */
export const patch = (server: ApiServer, call: Call): Outcome => {
  const { target, contentType } = call;
  if (contentType === APPLY) return apply(server, call);
  const change = patchFunction(call);
  assertNoForce(call);
  const writer = writerOf(call);
  const { stored } = updateObject(server, {
    target,
    writer,
    createIfAbsent: false,
    isPatch: true,
    transform: (old) => {
      const patched = change(structuredClone(old)) as KubeObject;
      assertMetadataForm(patched);
      assertKind(patched, target);
      const object = decodePatched(target.served, patched, writer);
      assertNamed(object, target);
      return tracked(object, old, { target, writer, now: server.clock() });
    },
  });
  return { kind: 'object', code: 200, stored, served: target.served };
};

type Change = (document: unknown) => unknown;

/** The function that a patch body stands for. */
export const patchFunction = ({ target, contentType, body }: Call): Change => {
  const { custom } = target.served.resource;
  const accepted = [JSON_PATCH, MERGE_PATCH, ...(custom ? [] : [STRATEGIC_PATCH])];
  if (!accepted.includes(contentType)) {
    throw custom ? unsupportedMediaType([...accepted, APPLY]) : unsupportedPatch();
  }
  const parsed = parsePatch(body);
  if (contentType === JSON_PATCH) return jsonPatch(parsed);
  if (!isMap(parsed)) throw wrongPatch(parsed, 'map[string]interface {}');
  if (contentType === MERGE_PATCH) return (document) => applyMergePatch(document, parsed);
  return strategicPatch(target, parsed);
};

const parsePatch = (body: string): unknown => {
  try {
    return JSON.parse(body);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    const at = /position (\d+)/.exec(why)?.[1];
    const isCut = at === undefined || Number(at) >= body.length;
    throw badRequest(`error decoding patch: ${isCut ? 'unexpected end of JSON input' : why}`);
  }
};

const wrongPatch = (parsed: unknown, wanted: string): ApiError =>
  badRequest(`error decoding patch: ${typeProblem(parsed, `value of type ${wanted}`)}`);

const jsonPatch = (parsed: unknown): Change => {
  if (!Array.isArray(parsed)) throw wrongPatch(parsed, '[]handlers.jsonPatchOp');
  return (document) => {
    try {
      return applyJsonPatch(document, parsed);
    } catch (error) {
      if (error instanceof JsonPatchError) throw patchFailed();
      throw error;
    }
  };
};

// The server does not say which operation failed, nor why.
const patchFailed = (): ApiError =>
  new ApiError({
    message: 'the server rejected our request due to an error in our request',
    reason: 'Invalid',
    details: {},
    code: 422,
  });

const strategicPatch =
  ({ served }: Target, parsed: Record<string, unknown>): Change =>
  (document) => {
    try {
      return applyStrategicMergePatch(
        served.version.schema,
        isMap(document) ? document : {},
        parsed,
      );
    } catch (error) {
      if (error instanceof StrategicPatchError) throw internal(error.message);
      throw error;
    }
  };

const assertKind = (patched: KubeObject, { served }: Target): void => {
  if (!isMap(patched)) throw badPatch(patched, 'json: cannot unmarshal into an object');
  const { kind } = patched;
  if (kind !== served.resource.kind) {
    throw badPatch(
      patched,
      `converting to ${served.resource.kind}: unknown conversion from ${kind}`,
    );
  }
};

const assertNamed = ({ metadata = {} }: KubeObject, { served, name, namespace }: Target): void => {
  if (!metadata.name) throw unnamed(name);
  if (metadata.name !== name) {
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${name})`,
    );
  }
  if (served.resource.namespaced && metadata.namespace && metadata.namespace !== namespace)
    throw otherNamespace();
};
