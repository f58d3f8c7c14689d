import { badRequest, internal, unsupportedMediaType, unsupportedPatch } from '../errors/errors.ts';
import { ApiError } from '../errors/status.ts';
import { valueDepthProblem } from '../objects/json-depth.ts';
import { isMap, type JsonMap } from '../objects/object.ts';
import { readWithHalves } from '../objects/written-numbers.ts';
import { applyJsonPatch } from '../patches/json-patch.ts';
import { JsonPatchError } from '../patches/json-pointer.ts';
import { applyMergePatch } from '../patches/merge-patch.ts';
import { applyStrategicMergePatch } from '../patches/strategic-merge-patch.ts';
import { StrategicPatchError } from '../patches/strategic-patch-error.ts';
import type { Call } from '../requests/call.ts';
import { assertNoForce, writerOf } from '../requests/write-options.ts';
import { wrapIntegers } from '../schema/wrap-integers.ts';
import type { Target } from '../writes/target.ts';
import { readJsonPatch, readMergePatch, readStrategicPatch } from './patch-body.ts';

export type Change = (document: unknown) => unknown;

/** What a patch body stands for. */
export interface PatchFunction {
  readonly change: Change;
  /** What strict decoding holds against the patch itself. */
  readonly problems: readonly string[];
  /** The same change with halves for whole numbers that are written as fractions, if there are any. */
  readonly withHalves?: Change;
  /** What comes of it is of the kind that the address says, whatever it says itself. */
  readonly keepsType: boolean;
}

const JSON_PATCH = 'application/json-patch+json';
const MERGE_PATCH = 'application/merge-patch+json';
const STRATEGIC_PATCH = 'application/strategic-merge-patch+json';
export const APPLY = 'application/apply-patch+yaml';

const acceptedFor = ({ served }: Target): string[] => [
  JSON_PATCH,
  MERGE_PATCH,
  ...(served.resource.custom ? [] : [STRATEGIC_PATCH]),
];

/** Refuses what can be refused without looking at the body, or whether there is anything to patch. */
export const assertPatch = (call: Call): void => {
  const { target, contentType } = call;
  const accepted = acceptedFor(target);
  if (!accepted.includes(contentType)) {
    const { custom } = target.served.resource;
    throw custom ? unsupportedMediaType([...accepted, APPLY]) : unsupportedPatch();
  }
  assertNoForce(call);
};

/** Reads a patch body. */
export const patchFunction = (call: Call): PatchFunction => {
  const { target, contentType, body } = call;
  const { fieldValidation } = writerOf(call);
  if (contentType === STRATEGIC_PATCH) {
    const { content, problems } = readStrategicPatch(body, fieldValidation);
    return { change: strategicChange(target, content, body), problems, keepsType: true };
  }
  if (contentType === MERGE_PATCH) {
    const { content, problems } = readMergePatch(body, fieldValidation);
    const change =
      (patch: unknown): Change =>
      (document) =>
        applyMergePatch(document, patch);
    return { change: change(content), problems, keepsType: false, ...halved(body, change) };
  }
  const { content, problems } = readJsonPatch(body, fieldValidation);
  return { change: jsonChange(content), problems, keepsType: false, ...halved(body, jsonChange) };
};

const halved = <Content>(
  body: string,
  changeOf: (content: Content) => Change,
): { readonly withHalves?: Change } => {
  const read = readWithHalves(body);
  return read === undefined ? {} : { withHalves: changeOf(read as Content) };
};

const jsonChange =
  (operations: readonly unknown[]): Change =>
  (document) => {
    const patched = attempt(() => applyJsonPatch(document, operations));
    if (valueDepthProblem(patched) !== undefined) throw patchFailed();
    return patched;
  };

const attempt = (patch: () => unknown): unknown => {
  try {
    return patch();
  } catch (error) {
    if (error instanceof JsonPatchError) throw patchFailed();
    throw error;
  }
};

// The server does not say which operation failed, nor why.
const patchFailed = (): ApiError =>
  new ApiError({
    message: 'the server rejected our request due to an error in our request',
    reason: 'Invalid',
    details: {},
    code: 422,
  });

const strategicChange =
  ({ served }: Target, patch: JsonMap, body: string): Change =>
  (document) => {
    const { schema } = served.version;
    try {
      const patched = applyStrategicMergePatch(schema, isMap(document) ? document : {}, patch);
      return wrapIntegers(schema, patched, body);
    } catch (error) {
      if (error instanceof StrategicPatchError) throw strategicFailure(error);
      throw error;
    }
  };

const strategicFailure = ({ code, message }: StrategicPatchError): ApiError => {
  if (code === 422) return patchFailed();
  return code === 400 ? badRequest(message) : internal(message);
};
