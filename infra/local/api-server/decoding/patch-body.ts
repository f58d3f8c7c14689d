import { badRequest, tooManyOperations } from '../errors/api-errors.ts';
import { typeProblem } from '../go/print.ts';
import { readAsSpelt } from '../go/written-numbers.ts';
import { depthProblem } from '../json/depth.ts';
import { duplicateFields } from '../json/duplicate-fields.ts';
import { syntaxProblem } from '../json/syntax.ts';
import { isObject, type JsonObject } from '../json/value.ts';
import type { Writer } from '../requests/write-options.ts';

/** A decoded patch body, and its strict decoding errors. */
export interface PatchBody<Content> {
  readonly content: Content;
  readonly problems: readonly string[];
}

type Strictness = Writer['fieldValidation'];

function parse(body: string, prefix: string): unknown {
  const problem = depthProblem(body);
  try {
    if (problem === undefined) return JSON.parse(body);
  } catch {}
  throw badRequest(`${prefix}${problem ?? syntaxProblem(body)}`);
}

const decodingPrefix = 'error decoding patch: ';
const mapType = 'value of type map[string]interface {}';

/** Reads a merge patch. */
export function readMergePatch(body: string, strictness: Strictness): PatchBody<JsonObject> {
  const content = parse(body, decodingPrefix);
  if (content === null) throw badRequest('Invalid JSON Patch');
  if (!isObject(content)) throw badRequest(`${decodingPrefix}${typeProblem(content, mapType)}`);
  return { content, problems: duplicates(body, content, strictness) };
}

/** Reads a strategic merge patch; null changes nothing. */
export function readStrategicPatch(body: string, strictness: Strictness): PatchBody<JsonObject> {
  const content = parse(body, '') ?? {};
  if (!isObject(content)) throw badRequest(typeProblem(content, mapType));
  return { content, problems: duplicates(body, content, strictness) };
}

function duplicates(body: string, content: unknown, strictness: Strictness): string[] {
  if (strictness === 'Ignore') return [];
  return duplicateFields(body, content).map((field) => `duplicate field ${JSON.stringify(field)}`);
}

const maxOperations = 10_000;
const operationMembers = ['op', 'path', 'from', 'value'];

/** Reads a JSON patch: a list of operations; null has none. */
export function readJsonPatch(body: string, strictness: Strictness): PatchBody<readonly unknown[]> {
  const isStrict = strictness !== 'Ignore';
  const content = parse(body, isStrict ? decodingPrefix : '') ?? [];
  const refuse = (value: unknown, strict: string, lax: string): never => {
    throw badRequest(
      isStrict ? `${decodingPrefix}${typeProblem(value, strict)}` : typeProblem(value, lax),
    );
  };
  if (!Array.isArray(content)) {
    return refuse(content, 'value of type []handlers.jsonPatchOp', 'value of type jsonpatch.Patch');
  }
  for (const operation of content) {
    if (operation !== null && !isObject(operation)) {
      refuse(operation, 'value of type handlers.jsonPatchOp', 'value of type jsonpatch.Operation');
    }
    if (isStrict) assertTexts(operation ?? {});
  }
  if (content.length > maxOperations) throw tooManyOperations(maxOperations, content.length);
  return {
    content: withSpeltTests(content, body),
    problems: isStrict ? operationProblems(body, content) : [],
  };
}

function assertTexts(operation: JsonObject): void {
  for (const field of ['op', 'path', 'from']) {
    const value = operation[field] ?? '';
    if (typeof value === 'string') continue;
    const into = `struct field jsonPatchOp.${field} of type string`;
    throw badRequest(`${decodingPrefix}${typeProblem(value, into)}`);
  }
}

/** `test` compares values as they are written; all other operations use the decoded values. */
function withSpeltTests(content: readonly unknown[], body: string): readonly unknown[] {
  const isTest = (operation: unknown): boolean => isObject(operation) && operation.op === 'test';
  if (!content.some(isTest)) return content;
  const spelt = readAsSpelt(body) as readonly unknown[];
  return content.map((operation, index) => (isTest(operation) ? spelt[index] : operation));
}

function operationProblems(body: string, content: readonly unknown[]): string[] {
  return [
    ...duplicateFields(body, content).map(
      (field) => `json patch duplicate field ${JSON.stringify(field)}`,
    ),
    ...content.flatMap((operation, index) =>
      Object.keys(operation ?? {})
        .filter((member) => !operationMembers.includes(member))
        .map((member) => `json patch unknown field ${JSON.stringify(`[${index}].${member}`)}`),
    ),
  ];
}
