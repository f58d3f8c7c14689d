import { readJsonPatch, readMergePatch, readStrategicPatch } from '../decoding/patch-body.ts';
import {
  badRequest,
  internal,
  unsupportedMediaType,
  unsupportedPatch,
} from '../errors/api-errors.ts';
import { ApiError } from '../errors/status.ts';
import { readWithHalves } from '../go/written-numbers.ts';
import { valueDepthProblem } from '../json/depth.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import { applyJsonPatch } from '../patches/json-patch.ts';
import { JsonPatchError } from '../patches/json-pointer.ts';
import { applyMergePatch } from '../patches/merge-patch.ts';
import { StrategicPatchError } from '../patches/patch-schema.ts';
import { applyStrategicMergePatch } from '../patches/strategic-merge-patch.ts';
import { applyPatchType, writerOf } from '../requests/write-options.ts';
import type { Target } from '../resources/target.ts';
import { wrapIntegers } from '../schema/wrap-integers.ts';
import type { Call } from './call.ts';

export type Patcher = (document: unknown) => unknown;

/** A decoded patch, as a function. */
export interface PatchFunction {
  readonly change: Patcher;
  /** The strict decoding errors of the patch itself. */
  readonly problems: readonly string[];
  /** The same change with 0.5 added to whole numbers that are written as fractions, if there are any. */
  readonly withHalves?: Patcher;
  /** True if the result has the kind in the URL, whatever its own fields say. */
  readonly keepsType: boolean;
}

const jsonPatchType = 'application/json-patch+json';
const mergePatchType = 'application/merge-patch+json';
const strategicPatchType = 'application/strategic-merge-patch+json';

function acceptedFor({ served }: Target): string[] {
  return [jsonPatchType, mergePatchType, ...(served.resource.custom ? [] : [strategicPatchType])];
}

/** Refuses what can be refused without the body and without the object. */
export function assertPatch(call: Call): void {
  const { target, contentType } = call;
  const accepted = acceptedFor(target);
  if (!accepted.includes(contentType)) {
    const { custom } = target.served.resource;
    throw custom ? unsupportedMediaType([...accepted, applyPatchType]) : unsupportedPatch();
  }
}

/** Reads a patch body. */
export function patchFunction(call: Call): PatchFunction {
  const { target, contentType, body } = call;
  const { fieldValidation } = writerOf(call);
  if (contentType === strategicPatchType) {
    const { content, problems } = readStrategicPatch(body, fieldValidation);
    return { change: strategicChange(target, content, body), problems, keepsType: true };
  }
  if (contentType === mergePatchType) {
    const { content, problems } = readMergePatch(body, fieldValidation);
    const change =
      (patch: unknown): Patcher =>
      (document) =>
        applyMergePatch(document, patch);
    return { change: change(content), problems, keepsType: false, ...halved(body, change) };
  }
  const { content, problems } = readJsonPatch(body, fieldValidation);
  return { change: jsonChange(content), problems, keepsType: false, ...halved(body, jsonChange) };
}

function halved<Content>(
  body: string,
  changeOf: (content: Content) => Patcher,
): { readonly withHalves?: Patcher } {
  const read = readWithHalves(body);
  return read === undefined ? {} : { withHalves: changeOf(read as Content) };
}

function jsonChange(operations: readonly unknown[]): Patcher {
  return (document) => {
    const patched = attempt(() => applyJsonPatch(document, operations));
    if (valueDepthProblem(patched) !== undefined) throw patchFailed();
    return patched;
  };
}

function attempt(patch: () => unknown): unknown {
  try {
    return patch();
  } catch (error) {
    if (error instanceof JsonPatchError) throw patchFailed();
    throw error;
  }
}

// The server names neither the operation that failed nor the reason.
function patchFailed(): ApiError {
  return new ApiError({
    message: 'the server rejected our request due to an error in our request',
    reason: 'Invalid',
    details: {},
    code: 422,
  });
}

function strategicChange({ served }: Target, patch: JsonObject, body: string): Patcher {
  return (document) => {
    const { schema } = served.version;
    try {
      const patched = applyStrategicMergePatch(schema, isObject(document) ? document : {}, patch);
      return wrapIntegers(schema, patched, body);
    } catch (error) {
      if (error instanceof StrategicPatchError) throw strategicFailure(error);
      throw error;
    }
  };
}

function strategicFailure({ code, message }: StrategicPatchError): ApiError {
  if (code === 422) return patchFailed();
  return code === 400 ? badRequest(message) : internal(message);
}
