import { isJsonValue, present, valueAt, weightOf } from '../../json.ts';
import { bodyProblem } from '../../kinds/checks/children.ts';
import { type Child, titleOfChild } from '../../kinds/child.ts';
import { secret } from '../../kinds/child-types/core.ts';
import { desiredBy, type IsPast } from '../../kinds/kind.ts';
import { readableByAnnotation } from '../../kinds/names.ts';
import type { FindObject, Reference } from '../../kinds/reads.ts';
import { generatedKeys } from '../../kinds/references/generated-data.ts';
import { granteeOf, mayProvide, unreadSource } from '../../kinds/references/grants.ts';
import { filled, partsOf, type SecretValue, valuesIn } from '../../kinds/references/template.ts';
import { isSameType, keyOf, type ObjectRef, titleOf } from '../../kubernetes.ts';
import { truncate } from '../../printable.ts';
import { maxDesired } from '../observed/applied.ts';
import { type ObservedChild, openEntry } from '../observed/observed.ts';
import {
  type FailedRequest,
  keyOfReference,
  namespaceOf,
  refOf,
  refTo,
  type Selected,
  type World,
} from '../observed/world.ts';
import { valueMissing } from './reasons.ts';

export type Desired =
  | {
      readonly children: readonly Child[];
      readonly bytes: number;
      /** True if the kind read the resource's labels. The children may then depend on the labels. */
      readonly readsLabels: boolean;
      /** The earliest future time that the kind asked about. */
      readonly until?: string;
    }
  /** `broken`: the kind's code threw. */
  | { readonly invalid: string; readonly broken?: true }
  /** `missing`: the references to read first. */
  | { readonly missing: readonly Reference[] }
  | { readonly failed: readonly (Reference & { readonly failure: FailedRequest })[] };

/**
 * Guarantees: calls the kind's `children` only if every reference was read or found absent. If the kind's code throws,
 * the resource is invalid, and its condition says why nothing is repaired.
 */
export function desiredOf(world: Wanting): Desired {
  try {
    return boundedOf(world);
  } catch (error) {
    return { invalid: codeFails(error), broken: true };
  }
}

export type Wanting = Pick<World, 'kind' | 'resource' | 'reads'> &
  Partial<Pick<World, 'children' | 'now'>>;

export const codeFails = (error: unknown): string =>
  `the kind's code fails: ${truncate((error as Error).message, maxMessage)}`;

const maxMessage = 1_024;

function boundedOf(world: Wanting): Desired {
  const { kind, reads } = world;
  let readsLabels = false;
  const resource = {
    ...world.resource,
    get labels() {
      readsLabels = true;
      return world.resource.labels;
    },
  };
  const found = lookupOf({ kind, resource, reads });
  if (!('find' in found)) return found;
  const clock = clockAt(world.now);
  const unfilled = desiredBy(kind, resource)(resource, found.find, clock.isPast);
  if ('invalid' in unfilled) return unfilled;
  const children = fillTemplates(world, unfilled);
  if (children.length > maxDesired)
    return { invalid: `${children.length} children exceed the limit of ${maxDesired}; ${divide}` };
  const bytes = weightOf(
    children.map(({ body, labels, annotations }) => ({ body, labels, annotations })),
    maxBytes,
    isJsonValue,
  );
  if (Number.isNaN(bytes))
    throw new Error(children.map(bodyProblem).find((one) => one !== undefined));
  if (bytes > maxBytes)
    return {
      invalid: `the desired children take more than ${maxBytes / 2 ** 20} MiB of memory; ${divide}`,
    };
  const twice = repeatedIn(children);
  return twice === undefined
    ? { children, bytes, readsLabels, ...present({ until: clock.until() }) }
    : { invalid: `the kind returns ${titleOfChild(twice)} twice; give one of them another name` };
}

/** Requires an offset, because without it a time would depend on the time zone of the process. */
const isRfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

export function clockAt(now = 0) {
  // The end of the year 9999, the last in RFC 3339.
  const end = Date.UTC(10_000);
  let until = end;
  const isPast: IsPast = (given) => {
    const time = given instanceof Date || isRfc3339.test(given) ? new Date(given).getTime() : end;
    if (!(time < end))
      throw new Error(`isPast: ${given} is not a time such as 2026-01-31T00:00:00Z`);
    if (time > now) until = Math.min(until, time);
    return time <= now;
  };
  return { isPast, until: () => (until < end ? new Date(until).toISOString() : undefined) };
}

/** Maximum heap for a resource's desired children, so that no resource exhausts a function's memory. */
const maxBytes = 32 * 2 ** 20;

const divide = 'divide them among several resources';

function repeatedIn(children: readonly Child[]): Child | undefined {
  const seen = new Set<string>();
  return children.find((child) => seen.size === seen.add(keyOf(refOf(child))).size);
}

type Lookup = Exclude<Desired, { readonly children: unknown }> | { readonly find: FindObject };

function lookupOf({ kind, resource, reads }: Wanting): Lookup {
  const references = kind.references(resource);
  if ('invalid' in references) return references;
  const missing = references.filter((one) => !reads.has(keyOfReference(one)));
  if (missing.length > 0) return { missing };
  const failed = references.flatMap((one) => {
    const failure = reads.get(keyOfReference(one))?.failure;
    return failure === undefined ? [] : [{ ...one, failure }];
  });
  return failed.length > 0 ? { failed } : { find: finderIn(reads) };
}

/** Returns undefined if not all referenced objects were read. */
export function finderOf(world: Wanting): FindObject | undefined {
  const found = lookupOf(world);
  return 'find' in found ? found.find : undefined;
}

/** Omits the namespace if the resource is in the same namespace. */
export const refToReference = (
  resource: Pick<World['resource'], 'namespace'>,
  { type, namespace, name }: Reference,
): ObjectRef =>
  refTo(type, name, ['', resource.namespace].includes(namespace) ? undefined : namespace);

export const finderIn =
  (reads: World['reads']): FindObject =>
  (reference) =>
    reads.get(keyOfReference(reference))?.object;

/**
 * Fills in the templates of Secrets. A child whose template lacks a value gets no new body: it waits if the Secret
 * with this value is another desired child, and is blocked otherwise. If the value is yet to be generated in the child
 * itself, only this template is left out.
 *
 * Guarantees: a value comes from a Secret in the resource's namespace, or from a Secret that is granted (`readable-by`).
 */
export function fillTemplates(world: Wanting, children: readonly Child[]): readonly Child[] {
  if (!children.some(({ templates }) => templates !== undefined)) return children;
  const found = world.kind.references(world.resource);
  const references = 'invalid' in found ? [] : found;
  const given = { world, references, sources: sourcesIn(world, references), children };
  return children.map((child) => (child.templates === undefined ? child : fill(child, given)));
}

type Source = Pick<Selected, 'namespace' | 'name' | 'values'>;

interface Given {
  readonly world: Wanting;
  readonly references: readonly Reference[];
  readonly sources: readonly Source[];
  readonly children: readonly Child[];
}

const sourcesIn = ({ reads }: Wanting, references: readonly Reference[]): readonly Source[] =>
  references
    .filter(({ type }) => isSameType(type, secret))
    .flatMap((reference): readonly Source[] => {
      const found = reads.get(keyOfReference(reference));
      if (found?.object === undefined) return [];
      const { values, selected = [{ ...reference, ...present({ values }) }] } = found;
      return selected;
    });

function fill(child: Child, given: Given): Child {
  const { templates = {}, body } = child;
  const { children } = given.world;
  const live = children?.get(keyOf(refOf(child)));
  const values = valuesIn(templates).map((one) => lookUp(one, child, given));
  const isDue = ({ key, maker, readers }: Value): boolean =>
    maker === child && generates(child, key) && readers.length > 0 && !holds(live, key);
  const missing = values.find((one) => one.text === undefined && !isDue(one));
  if (missing !== undefined) return { ...child, blocked: child.blocked ?? waits(child, missing) };
  const texts = new Map(values.map(({ placeholder, text }) => [placeholder, text]));
  // Omits templates with values that the child itself has yet to generate.
  const data = Object.entries(templates)
    .filter(([, one]) => valuesIn({ one }).every((value) => texts.get(value) !== undefined))
    .map(([key, one]) => [
      key,
      filled(partsOf(one), (value) => texts.get(value) ?? '') ?? heldValue(live, key),
    ]);
  const all = { ...(body.data as object), ...Object.fromEntries(data) };
  return Object.keys(all).length === 0 ? child : { ...child, body: { ...body, data: all } };
}

type Value = ReturnType<typeof lookUp>;

/** Looks up a value that a template of the child names. */
function lookUp(placeholder: SecretValue, child: Child, { world, ...given }: Given) {
  const home = namespaceOf(world.resource, child);
  const { secret: name, namespace = home, key } = placeholder;
  const isNamed = (one: { readonly name: string; readonly namespace: string }): boolean =>
    one.name === name && one.namespace === namespace;
  const maker = given.children.find(
    (one) =>
      isSameType(one.type, secret) &&
      isNamed({ name: one.name, namespace: namespaceOf(world.resource, one) }),
  );
  const source = given.sources.find(isNamed);
  const readers = given.references.filter((one) => mayProvide(one, { name, namespace }));
  const value = source?.values?.textOf(key);
  // A generated value that somebody emptied counts as missing.
  const text = value === '' && generates(maker, key) ? undefined : value;
  const isElsewhere = namespace !== world.resource.namespace;
  return { placeholder, name, namespace, key, isElsewhere, maker, source, readers, text };
}

function waits(child: Child, value: Value): NonNullable<Child['blocked']> {
  const { name, namespace, key, isElsewhere, maker, source, readers } = value;
  const what = source === undefined ? absenceOf(readers, namespace) : `has no ${key}`;
  const title = titleOf({ kind: secret.kind, name, ...(isElsewhere && { namespace }) });
  const message = `${titleOfChild(child)} waits: ${title} ${what}`;
  return { reason: valueMissing, message, transient: readers.length > 0 && maker !== undefined };
}

const holds = (live: ObservedChild | undefined, key: string): boolean =>
  Array.isArray(live?.facts.keys) && live.facts.keys.includes(key);

const generates = (child: Child | undefined, key: string): boolean =>
  generatedKeys(child?.generated ?? {}).includes(key);

/** Explains why a Secret in this namespace was not found. `readers` are the references that name or select it. */
function absenceOf(readers: readonly Reference[], namespace: string): string {
  if (readers.length === 0) return unreadSource;
  const to = readers.find(({ reader }) => reader && reader.namespace !== namespace)?.reader;
  return [
    'does not exist',
    ...(to ? [`is not granted to ${granteeOf(to)} by its annotation ${readableByAnnotation}`] : []),
    ...(readers.every(({ selector }) => selector) ? ['is not selected by the kind'] : []),
  ].join(', or ');
}

/** Returns the live value. Only a replay needs it, because a recording has no values of Secrets. */
function heldValue(live: ObservedChild | undefined, key: string): string {
  const held = live?.ours && valueAt(openEntry(live.ours).value, 'data', key);
  return typeof held === 'string' ? held : '';
}
