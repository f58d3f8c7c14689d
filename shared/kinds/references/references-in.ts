import { valueAt } from '../../json.ts';
import {
  groupResource,
  includesType,
  isClusterScoped,
  isSameType,
  qualifiedName,
  type ResourceType,
} from '../../kubernetes.ts';
import { isSelector, requirementsOf, selectorText } from '../../label-selector.ts';
import { secret } from '../child-types/core.ts';
import { namespaceName, objectName } from '../names.ts';
import { callOwn, InvalidSpec } from '../own-code.ts';
import {
  type FieldReferences,
  namedReads,
  type ReadDefinition,
  type ReadDefinitions,
  type Reference,
  type ReferenceName,
  type Resource,
} from '../reads.ts';

/** Limit of references in one resource; a selector counts once for each namespace in `from`. */
const maxReferences = 64;

/** A resource with the parts of its kind that determine its references. */
interface Reading {
  readonly kind: ResourceType & { readonly owns: readonly ResourceType[] };
  readonly resource: Resource<unknown>;
}

/** One field of `reads`, for a resource. */
interface FieldReading extends Reading, ReadDefinition<unknown> {
  readonly field: string;
}

/**
 * Returns what a resource refers to. Throws an InvalidSpec for a reference that is illegal or not allowed, and
 * another error if the kind's code throws or returns a value of the wrong type.
 *
 * Guarantees: the namespaces come from the kind's `from`. A namespace from the spec alone is refused, or
 * needs a grant.
 */
export function referencesIn(
  reads: ReadDefinitions<unknown>,
  reading: Reading,
): readonly FieldReferences[] {
  const found = namedReads(reads).map(([field, definition]): FieldReferences => {
    const { type, names, selector } = definition;
    const one = { ...reading, ...definition, field };
    const isSource = isSameType(type, secret) && includesType(reading.kind.owns, secret);
    const references = selector === undefined ? namedIn(one) : selectionsIn(one);
    return {
      field,
      form: selector !== undefined ? 'selected' : names === undefined ? 'one' : 'list',
      references: isSource ? references.map((one) => ({ ...one, isSource })) : references,
    };
  });
  const count = found.reduce((sum, { references }) => sum + references.length, 0);
  if (count > maxReferences)
    throw new InvalidSpec(`it refers to ${count} objects; at most ${maxReferences} are read`);
  return found;
}

function namedIn(reading: FieldReading): readonly Reference[] {
  const { field, type, from, resource } = reading;
  return namesIn(reading).map((given) => {
    const one = placeOf(given, reading);
    const isElsewhere = one.namespace !== resource.namespace;
    const shown = qualifiedName(isElsewhere ? one.namespace : '', one.name);
    const isLegal =
      objectName(one.name) === one.name &&
      (one.namespace === '' || namespaceName(one.namespace) === one.namespace);
    if (!isLegal)
      throw new InvalidSpec(
        `${JSON.stringify(shown.slice(0, maxShown))} is not a valid ${type.kind} name (reads.${field})`,
      );
    if (Array.isArray(from) && !from.includes(one.namespace))
      throw new InvalidSpec(
        `${type.kind} ${shown} is not in a namespace that the kind reads (reads.${field})`,
      );
    return { type, ...one, ...(isElsewhere ? readerOf(reading) : {}) };
  });
}

/** Cuts an invalid name in a message to the length of a legal one. */
const maxShown = 253;

/** Returns the reader that grants must name; empty if the kind needs no grants. */
const readerOf = ({ from, kind, resource: { namespace } }: FieldReading) =>
  from === 'granted' ? { reader: { namespace, resource: groupResource(kind) } } : {};

/** Returns the namespace and name of a referenced object. */
function placeOf(
  given: ReferenceName,
  { field, kind, type, from, resource }: FieldReading,
): { readonly namespace: string; readonly name: string } {
  const isWide = isClusterScoped(type);
  const needsNamespace = !isWide && resource.namespace === '';
  if (typeof given === 'string' && !needsNamespace)
    return { namespace: isWide ? '' : resource.namespace, name: given };
  if (typeof given !== 'string' && (needsNamespace || (!isWide && from !== undefined)))
    return given;
  const expected = needsNamespace
    ? '{ namespace, name }, because the resource has no namespace'
    : 'the name alone';
  throw misreturned(`${kind.kind}: reads.${field}`, given, expected);
}

function namesIn({ field, kind, name, names, resource }: FieldReading): readonly ReferenceName[] {
  const call: (resource: Resource<unknown>) => unknown = names ?? name ?? (() => undefined);
  const found = callOwn(kind.kind, call, resource);
  const list = names === undefined ? [found ?? []].flat() : found;
  if (Array.isArray(list) && list.every(isName)) return list;
  throw names === undefined
    ? misreturned(`${kind.kind}: reads.${field}.name`, found, 'a string or undefined')
    : misreturned(`${kind.kind}: reads.${field}.names`, found, 'a list of strings');
}

const misreturned = (path: string, found: unknown, expected: string): Error =>
  new Error(`${path} returned ${JSON.stringify(found) ?? 'undefined'}; return ${expected}`);

const isName = (one: unknown): one is ReferenceName =>
  typeof one === 'string' ||
  ['namespace', 'name'].every((field) => typeof valueAt(one, field) === 'string');

/** Returns one reference for each namespace in which the selector is applied. */
function selectionsIn(reading: FieldReading): readonly Reference[] {
  const { field, kind, type, from, selector, resource } = reading;
  const given = selector && callOwn(kind.kind, selector, resource);
  if (given === undefined) return [];
  if (!isSelector(given))
    throw misreturned(
      `${kind.kind}: reads.${field}.selector`,
      given,
      'a label selector or undefined',
    );
  const found = requirementsOf(given);
  if ('invalid' in found)
    throw new InvalidSpec(`the label selector is invalid: ${found.invalid} (reads.${field})`);
  const { requirements } = found;
  const isWide = isClusterScoped(type) || from === 'all' || from === 'granted';
  const namespaces = isWide ? [''] : (from ?? [resource.namespace]);
  return [...new Set(namespaces)].toSorted().map((namespace) => ({
    type,
    namespace,
    name: `(${selectorText(requirements)})`,
    selector: requirements,
    ...readerOf(reading),
  }));
}
