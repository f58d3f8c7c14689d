import type { JsonObject, ResourceType, Status } from '../../shared/kubernetes.ts';
import { noQuantities, unknownFieldProblem } from './fields.ts';

export function refusalsOf(
  type: ResourceType,
  { message = '', details }: Partial<Status>,
  applied: JsonObject,
): readonly string[] {
  const [, untyped] =
    /failed to create typed patch object \(.*?\): (?:errors:)?(.*)$/s.exec(message) ?? [];
  if (untyped !== undefined)
    return untyped
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .map((line) => untypedField(type, line));
  const causes = details?.causes ?? [];
  if (causes.length === 0) {
    const why = message.replace(conversion, '');
    const paths = why.startsWith('quantities must match') ? noQuantities(type, applied) : [];
    return paths.length > 0
      ? paths.map((path) => `${path} must be a quantity, for example 500m or 1Gi`)
      : [`the API server refuses it: ${why}`];
  }
  // Omits the messages for a Secret, because they contain values.
  const isSecret = type.kind === 'Secret' && type.group === '';
  const messages = causes.map(
    ({ field, message: why }) =>
      `${field === noField ? 'the API server refuses it' : field}: ${isSecret ? 'refused' : why}`,
  );
  return [...new Set(messages)];
}

/** The field that the API server names if an error is about the whole object. */
const noField = '<nil>';
const conversion =
  /^failed to convert new object .*: unable to convert unstructured object to .*?: /;

/** Returns the refusals of a CRD. Names paths in the kind's schema, not in the CRD. */
export function definitionRefusals({ message = '', details }: Partial<Status>): readonly string[] {
  const { causes = [{ field: '', message }] } = details ?? {};
  const messages = causes.map(({ field = '', message: why = '' }) => {
    const path = field
      .replace(/^spec\.(?:validation|versions\[\d+\]\.schema)\.openAPIV3Schema\.?/, '')
      .replaceAll(/properties\[(.*?)\]/g, '$1')
      .replace(/\.?x-kubernetes-validations\[\d+\]\.rule$/, '');
    const [, rule, cause] = uncompiled.exec(why) ?? [];
    const shownPath = path === '' ? 'the resource' : path;
    return rule === undefined
      ? `the API server refuses the CRD: ${shownPath}: ${why}`
      : `rule "${JSON.parse(rule)}" on ${shownPath} does not compile: ${cause}`;
  });
  return [...new Set(messages)];
}

const uncompiled =
  /^Invalid value: \{"Rule":("(?:[^"\\]|\\.)*").*?compilation failed: ERROR: <input>:(.*?)(?:\n|$)/s;

/** Rewords an error from structured-merge-diff, the library that compares an applied object with the schema. */
function untypedField(type: ResourceType, line: string): string {
  const [, path = '', why = line] = /^\.(.*?): (.*)$/s.exec(line) ?? [];
  if (why === 'field not declared in schema') return unknownFieldProblem(type, path);
  const [, expected] = /^expected (.*), got /.exec(why) ?? [];
  if (expected !== undefined) return `${path} must be ${values[expected] ?? expected}`;
  const [, key] = /^duplicate entries for key (.*)$/.exec(why) ?? [];
  return key === undefined ? `${path}: ${why}` : `${path} has two items with ${key}; remove one`;
}

const values: Readonly<Record<string, string>> = {
  string: 'a string, for example String(value)',
  'numeric (int or float)': 'a number',
  boolean: 'true or false',
  map: 'an object',
  list: 'a list',
};
