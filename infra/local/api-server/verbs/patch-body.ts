import { badRequest, tooManyOperations } from '../errors/errors.ts';
import { duplicateFields } from '../objects/duplicate-fields.ts';
import { typeProblem } from '../objects/go-json.ts';
import { depthProblem } from '../objects/json-depth.ts';
import { syntaxProblem } from '../objects/json-syntax.ts';
import { isMap, type JsonMap } from '../objects/object.ts';
import { readAsSpelt } from '../objects/written-numbers.ts';
import type { Writer } from '../writes/target.ts';

/** A patch body as it was read, and what strict decoding holds against it. */
export interface PatchBody<Content> {
  readonly content: Content;
  readonly problems: readonly string[];
}

type Strictness = Writer['fieldValidation'];

const parse = (body: string, prefix: string): unknown => {
  const problem = depthProblem(body);
  try {
    if (problem === undefined) return JSON.parse(body);
  } catch {}
  throw badRequest(`${prefix}${problem ?? syntaxProblem(body)}`);
};

const DECODING = 'error decoding patch: ';
const MAP = 'value of type map[string]interface {}';

/** Reads a merge patch. */
export const readMergePatch = (body: string, strictness: Strictness): PatchBody<JsonMap> => {
  const content = parse(body, DECODING);
  if (content === null) throw badRequest('Invalid JSON Patch');
  if (!isMap(content)) throw badRequest(`${DECODING}${typeProblem(content, MAP)}`);
  return { content, problems: duplicates(body, content, strictness) };
};

/** Reads a strategic merge patch; null is one that changes nothing. */
export const readStrategicPatch = (body: string, strictness: Strictness): PatchBody<JsonMap> => {
  const content = parse(body, '') ?? {};
  if (!isMap(content)) throw badRequest(typeProblem(content, MAP));
  return { content, problems: duplicates(body, content, strictness) };
};

const duplicates = (body: string, content: unknown, strictness: Strictness): string[] => {
  if (strictness === 'Ignore') return [];
  return duplicateFields(body, content).map((field) => `duplicate field ${JSON.stringify(field)}`);
};

const MOST_OPERATIONS = 10_000;
const MEMBERS = ['op', 'path', 'from', 'value'];

/** Reads a JSON patch: a list of operations; null is none. */
export const readJsonPatch = (
  body: string,
  strictness: Strictness,
): PatchBody<readonly unknown[]> => {
  const isStrict = strictness !== 'Ignore';
  const content = parse(body, isStrict ? DECODING : '') ?? [];
  const refuse = (value: unknown, strict: string, lax: string): never => {
    throw badRequest(
      isStrict ? `${DECODING}${typeProblem(value, strict)}` : typeProblem(value, lax),
    );
  };
  if (!Array.isArray(content)) {
    return refuse(content, 'value of type []handlers.jsonPatchOp', 'value of type jsonpatch.Patch');
  }
  for (const operation of content) {
    if (operation !== null && !isMap(operation)) {
      refuse(operation, 'value of type handlers.jsonPatchOp', 'value of type jsonpatch.Operation');
    }
    if (isStrict) assertTexts(operation ?? {});
  }
  if (content.length > MOST_OPERATIONS) throw tooManyOperations(MOST_OPERATIONS, content.length);
  return {
    content: withSpeltTests(content, body),
    problems: isStrict ? operationProblems(body, content) : [],
  };
};

const assertTexts = (operation: JsonMap): void => {
  for (const field of ['op', 'path', 'from']) {
    const value = operation[field] ?? '';
    if (typeof value === 'string') continue;
    const into = `struct field jsonPatchOp.${field} of type string`;
    throw badRequest(`${DECODING}${typeProblem(value, into)}`);
  }
};

/** Tests are of values as they are spelt, all other operations of what they mean. */
const withSpeltTests = (content: readonly unknown[], body: string): readonly unknown[] => {
  const isTest = (operation: unknown): boolean => isMap(operation) && operation.op === 'test';
  if (!content.some(isTest)) return content;
  const spelt = readAsSpelt(body) as readonly unknown[];
  return content.map((operation, index) => (isTest(operation) ? spelt[index] : operation));
};

const operationProblems = (body: string, content: readonly unknown[]): string[] => [
  ...duplicateFields(body, content).map(
    (field) => `json patch duplicate field ${JSON.stringify(field)}`,
  ),
  ...content.flatMap((operation, index) =>
    Object.keys(operation ?? {})
      .filter((member) => !MEMBERS.includes(member))
      .map((member) => `json patch unknown field ${JSON.stringify(`[${index}].${member}`)}`),
  ),
];
