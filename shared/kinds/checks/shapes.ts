/**
 * Checks values from a kind's code at run time, because Node runs TypeScript without checking types. Each
 * problem is a string that names the location and a remedy.
 */

import { isFields, type JsonFields } from '../../json.ts';
import { suggestion } from '../closest.ts';
import { isTemplate } from '../references/template.ts';
import { rolloutBudget } from '../rollout-budget.ts';
import { generatorProblem } from './generator.ts';
import { recreateProblem } from './recreate.ts';

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Formats a value for a message. */
export const shown = (value: unknown): string => {
  if (Array.isArray(value)) return 'a list';
  if (value instanceof Promise) return 'a promise';
  return ['object', 'function'].includes(typeof value) && value !== null
    ? `a${typeof value === 'object' ? 'n' : ''} ${typeof value}`
    : (JSON.stringify(value) ?? String(value));
};

const isBudget = (value: unknown): boolean =>
  ['number', 'string'].includes(typeof value) && rolloutBudget(String(value)) !== undefined;

const isSeconds = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) > 0;

const isType = (value: unknown): value is JsonFields =>
  isFields(value) && isText(value.kind) && isText(value.plural) && typeof value.group === 'string';

const texts = ['group', 'version', 'kind', 'plural'];
const lists = ['samples', 'owns', 'formerly', 'versions', 'columns', 'rules'];
const functions = ['children', 'finalize', 'refuse', 'statusOf', 'conditionsOf', 'notes'];
const textLists = ['shortNames', 'categories', 'conditions'];
const others = ['scope', 'spec', 'status', 'scale', 'reads', 'rolloutBudget', 'finalizeSeconds'];
const known = [...texts, ...lists, ...functions, ...textLists, ...others];
const required = [...texts, 'spec', 'samples', 'owns', 'children'];

/** A check of a value, with words for the message, such as `a string`. */
type Want = readonly [is: (value: unknown) => boolean, want: string];

/** Also accepts an empty string: where it may not be empty, another check reports it. */
const aString: Want = [(value) => typeof value === 'string', 'a string'];
const anObject: Want = [isFields, 'an object'];
const aFlag: Want = [(value) => typeof value === 'boolean', 'true or false'];
const aFunction: Want = [(value) => typeof value === 'function', 'a function'];
const orNone = ([is, want]: Want): Want => [(value) => value === undefined || is(value), want];

const items: Readonly<Record<string, Readonly<Record<string, Want>>>> = {
  columns: { name: aString, type: aString, jsonPath: aString },
  rules: { rule: aString, message: aString, fieldPath: orNone(aString), holds: orNone(aFunction) },
  samples: { name: aString, spec: anObject },
  versions: { name: aString, served: aFlag, deprecated: orNone(aFlag) },
};
const scaleFields = {
  specReplicasPath: aString,
  statusReplicasPath: aString,
  labelSelectorPath: orNone(aString),
};

/** Finds fields of a definition that are missing, unknown or of the wrong type. */
export function definitionProblems(definition: JsonFields): readonly string[] {
  const wrong = (names: readonly string[], isRight: (value: unknown) => boolean, want: string) =>
    names
      .filter((name) => required.includes(name) || definition[name] !== undefined)
      .filter((name) => !isRight(definition[name]))
      .map((name) => `${name} is ${shown(definition[name])}; it must be ${want}`);
  const problems = [
    ...Object.keys(definition)
      .filter((name) => !known.includes(name))
      .map((name) => `a kind has no field ${name}${suggestion(name, known)}`),
    ...wrong(texts, isText, 'a string'),
    ...wrong(['spec'], isFields, 'a Type.Object'),
    ...wrong(['reads'], isFields, 'an object: { settings: { type, name } }'),
    ...wrong(['status'], isFields, 'an object of schemas: { ready: Type.Integer() }'),
    ...wrong(['scale'], isFields, 'an object of paths'),
    ...wrong(['rolloutBudget'], isBudget, "a number such as 2, or a percentage such as '5%'"),
    ...wrong(['finalizeSeconds'], isSeconds, 'a whole number of seconds'),
    ...wrong([...lists, ...textLists], Array.isArray, 'a list'),
    ...wrong(functions, ...aFunction),
  ];
  return problems.length > 0
    ? problems
    : [...partProblems(definition), ...typeProblems(definition)];
}

/** Finds problems inside maps and lists, once each field itself has the right type. */
function partProblems(definition: JsonFields): readonly string[] {
  const partOf = (field: string): JsonFields => (definition[field] ?? {}) as JsonFields;
  const listOf = (field: string) => Object.entries((definition[field] ?? []) as readonly unknown[]);
  return [
    ...textLists.flatMap((field) =>
      listOf(field).flatMap(([at, text]) => wrongValue(`${field}[${at}]`, text, aString)),
    ),
    ...Object.entries(items).flatMap(([field, wanted]) =>
      listOf(field).flatMap(([at, item]) => wrongFields(`${field}[${at}]`, item, wanted)),
    ),
    ...Object.entries(partOf('status')).flatMap(([name, schema]) =>
      wrongValue(`status.${name}`, schema, [isFields, 'a schema, such as Type.Integer()']),
    ),
    ...(definition.scale === undefined ? [] : wrongFields('scale', definition.scale, scaleFields)),
  ];
}

const wrongValue = (path: string, value: unknown, [is, want]: Want): readonly string[] =>
  is(value) ? [] : [`${path} is ${shown(value)}; it must be ${want}`];

function wrongFields(
  path: string,
  value: unknown,
  wanted: Readonly<Record<string, Want>>,
): readonly string[] {
  if (!isFields(value))
    return [`${path} is ${shown(value)}; it must be { ${Object.keys(wanted).join(', ')} }`];
  return Object.entries(wanted).flatMap(([name, want]) =>
    wrongValue(`${path}.${name}`, value[name], want),
  );
}

function typeProblems(definition: JsonFields): readonly string[] {
  const reads = Object.entries((definition.reads ?? {}) as JsonFields)
    .filter(([, read]) => !isFields(read))
    .map(
      ([field, read]) =>
        `reads.${field} is ${shown(read)}; it must be { type, name }, { type, names } or { type, selector }`,
    );
  const untyped = ['owns', 'formerly'].flatMap((field) =>
    ((definition[field] ?? []) as readonly unknown[]).flatMap((type, at) =>
      isType(type)
        ? []
        : [
            `${field}[${at}] is ${shown(type)}; list child types, such as configMap, or kinds (one that imports this file is still undefined)`,
          ],
    ),
  );
  return [...untyped, ...reads];
}

/** Finds the first entry of `kinds` in a configuration that is not a kind. */
export function kindsProblem(kinds: unknown): string | undefined {
  if (!Array.isArray(kinds)) return `kinds is ${shown(kinds)}; it must be a list of kinds`;
  const at = kinds.findIndex((kind) => !isType(kind) || typeof kind.desired !== 'function');
  return at < 0
    ? undefined
    : `kinds[${at}] is ${shown(kinds[at])}; list what defineKind returns (a kind that imports this file is still undefined)`;
}

/** Finds what is malformed in the value that `children` or `finalize` returned. */
export function shapeProblems(wanted: unknown, returned = 'children'): readonly string[] {
  if (!Array.isArray(wanted))
    return [
      `${returned} returned ${shown(wanted)}; it must return a list of children, and not be async`,
    ];
  return Array.from(wanted, (child, at) => childProblem(child, `${returned}[${at}]`)).flatMap(
    (problem) => problem ?? [],
  );
}

/** Checks one child. Builds no string if nothing is wrong, because every run checks each child. */
function childProblem(child: unknown, path: string): string | undefined {
  if (Array.isArray(child)) return `${path} is a list; spread it with ...`;
  if (!isFields(child))
    return `${path} is ${shown(child)}; leave it out: ...(condition ? [child(…)] : [])`;
  const named = nameProblem(child);
  if (named !== undefined) return `${path}${named}`;
  const problem = contentProblem(child);
  return problem && `${path}, ${(child.type as JsonFields).kind} ${child.name}: ${problem}`;
}

function contentProblem(child: JsonFields): string | undefined {
  const { body, labels, annotations, needs = [], actsOn, generated, onCollision } = child;
  const { handsOver = [], initial = [], blocked, step, templates, recreate } = child;
  if (!isFields(body)) return `body is ${shown(body)}; it must be an object`;
  if (onCollision !== undefined && !['fail', 'adopt-if-unowned'].includes(onCollision as string))
    return `onCollision is ${shown(onCollision)}; it must be "fail" or "adopt-if-unowned"`;
  const wrongGenerated = generated === undefined ? undefined : generatedProblem(generated);
  if (wrongGenerated !== undefined) return wrongGenerated;
  const wrongTemplate = templatesProblem(child.type as JsonFields, templates);
  if (wrongTemplate !== undefined) return wrongTemplate;
  for (const [field, paths] of Object.entries({ handsOver, initial }))
    if (!Array.isArray(paths) || !paths.every(isText))
      return `${field} must be a list of paths, such as ['spec.replicas']`;
  if (blocked !== undefined && !isBlocked(blocked))
    return 'blocked must have reason and message, both strings';
  if (step !== undefined && !['once', 'each-time'].includes(step as string))
    return `step is ${shown(step)}; it must be "once" or "each-time"`;
  if (step !== undefined && typeof (child.type as JsonFields).complete !== 'function')
    return 'step is only for a Job; remove it';
  if (![undefined, true, 'even-with-data'].includes(recreate as undefined))
    return `recreate is ${shown(recreate)}; it must be true or "even-with-data"`;
  const unsafe = recreate === undefined ? undefined : recreateProblem(child);
  if (unsafe !== undefined) return unsafe;
  if (!Array.isArray(needs)) return `needs is ${shown(needs)}; it must be a list`;
  const problem = textProblem('label', labels) ?? textProblem('annotation', annotations);
  if (problem !== undefined) return problem;
  for (const [at, other] of needs.entries()) {
    const wrong = relationProblem(`needs[${at}]`, other) ?? untilProblem(`needs[${at}]`, other);
    if (wrong !== undefined) return wrong;
  }
  return actsOn === undefined ? undefined : relationProblem('actsOn', actsOn);
}

/** Refuses templates in any object but a Secret, because they contain values of Secrets. */
function templatesProblem({ group, plural }: JsonFields, templates: unknown): string | undefined {
  if (templates === undefined) return undefined;
  if (group !== '' || plural !== 'secrets') return 'templates are only for a Secret; remove them';
  return isFields(templates) && Object.values(templates).every(isTemplate)
    ? undefined
    : 'the values of templates must be results of template`…` or secretValue';
}

/** Explains what is wrong with a reference to a child. The text continues its path: `.type is undefined; …`. */
function nameProblem({ type, name }: JsonFields): string | undefined {
  if (!isType(type))
    return `.type is ${shown(type)}; a child is child(type, { name, body }), with a type in owns`;
  return isText(name) ? undefined : `, a ${type.kind}: name is ${shown(name)}; it must be a string`;
}

const relationProblem = (field: string, other: unknown): string | undefined =>
  isFields(other) && nameProblem(other) === undefined
    ? undefined
    : `${field} is ${shown(other)}; name a child: { type, name }`;

const untilProblem = (field: string, { until }: JsonFields): string | undefined =>
  until === undefined || until === 'applied' || until === 'ready'
    ? undefined
    : `${field}.until is ${shown(until)}; it must be "applied" or "ready"`;

function generatedProblem(value: unknown): string | undefined {
  const isUsed =
    isFields(value) &&
    Array.isArray(value.usedBy) &&
    value.usedBy.every((user: unknown) => isFields(user) && nameProblem(user) === undefined);
  return isUsed
    ? generatorProblem(value)
    : 'generated must have usedBy, a list of children; and keys, a list of strings, or keyPair or certificate';
}

const isBlocked = (value: unknown): boolean =>
  isFields(value) && isText(value.reason) && typeof value.message === 'string';

function textProblem(what: string, map: unknown): string | undefined {
  for (const key in (map ?? {}) as JsonFields) {
    const value = (map as JsonFields)[key];
    if (value !== undefined && typeof value !== 'string')
      return `${what} ${key} is ${shown(value)}; it must be a string`;
  }
  return undefined;
}
