import { valueAt } from '../../json.ts';
import {
  groupResource,
  includesType,
  isClusterScoped,
  isSameType,
  qualifiedName,
  type ResourceType,
} from '../../kubernetes.ts';
import {
  isSelector,
  type Requirements,
  requirementsOf,
  selectorText,
} from '../../label-selector.ts';
import { secret } from '../child-types/core.ts';
import { namespaceName, objectName } from '../names.ts';
import {
  type FieldReferences,
  namedReads,
  type ReadDefinition,
  type ReadDefinitions,
  type Reader,
  type Reference,
  type ReferenceName,
  type Resource,
} from '../reads.ts';

/** Limit of references in one resource; a selector counts once for each namespace in `from`. */
const maxReferences = 64;

/** A resource with the parts of its kind that determine its references. */
interface Reading {
  readonly kind: Pick<ResourceType, 'group' | 'plural'> & {
    readonly owns: readonly ResourceType[];
  };
  readonly resource: Resource<unknown>;
}

interface Invalid {
  readonly invalid: string;
}

/**
 * Returns what a resource refers to, or explains why it cannot be read. Throws if the kind's code throws, or
 * returns a value of another type.
 *
 * Guarantees: the namespaces come from the kind's `from`. A namespace from the spec alone is refused, or
 * needs a grant.
 */
export function referencesIn(
  reads: ReadDefinitions<unknown>,
  reading: Reading,
): readonly FieldReferences[] | Invalid {
  const found: FieldReferences[] = [];
  for (const [field, definition] of namedReads(reads)) {
    const references =
      definition.selector === undefined
        ? namedIn(field, definition, reading)
        : selectionsIn(field, definition, reading);
    if ('invalid' in references) return { invalid: `${references.invalid} (reads.${field})` };
    const isSource = isSameType(definition.type, secret) && includesType(reading.kind.owns, secret);
    const all = isSource ? references.map((one) => ({ ...one, isSource })) : references;
    found.push({ field, form: formOf(definition), references: all });
  }
  const count = found.reduce((sum, { references }) => sum + references.length, 0);
  return count > maxReferences
    ? { invalid: `it refers to ${count} objects; at most ${maxReferences} are read` }
    : found;
}

const formOf = ({ names, selector }: ReadDefinition<unknown>): FieldReferences['form'] =>
  selector !== undefined ? 'selected' : names === undefined ? 'one' : 'list';

function namedIn(
  field: string,
  definition: ReadDefinition<unknown>,
  reading: Reading,
): readonly Reference[] | Invalid {
  const { type, from } = definition;
  const { resource } = reading;
  const references: Reference[] = [];
  for (const given of namesIn(field, definition, resource)) {
    const one = placeOf(field, { definition, resource, given });
    const shown = qualifiedName(
      one.namespace === resource.namespace ? '' : one.namespace,
      one.name,
    );
    const isLegal =
      objectName(one.name) === one.name &&
      (one.namespace === '' || namespaceName(one.namespace) === one.namespace);
    if (!isLegal)
      return {
        invalid: `${JSON.stringify(shown.slice(0, maxShown))} is not a valid ${type.kind} name`,
      };
    if (Array.isArray(from) && !from.includes(one.namespace))
      return { invalid: `${type.kind} ${shown} is not in a namespace that the kind reads` };
    const isElsewhere = one.namespace !== resource.namespace;
    references.push({ type, ...one, ...(isElsewhere ? readerFor(definition, reading) : {}) });
  }
  return references;
}

/** Cuts an invalid name in a message to the length of a legal one. */
const maxShown = 253;

/** Returns the reader that grants must name; empty if the kind needs no grants. */
const readerFor = (
  { from }: ReadDefinition<unknown>,
  { kind, resource: { namespace } }: Reading,
): { readonly reader?: Reader } =>
  from === 'granted' ? { reader: { namespace, resource: groupResource(kind) } } : {};

/** Returns the namespace and name of a referenced object. */
function placeOf(
  field: string,
  {
    definition: { type, from },
    resource,
    given,
  }: {
    readonly definition: ReadDefinition<unknown>;
    readonly resource: Resource<unknown>;
    readonly given: ReferenceName;
  },
): { readonly namespace: string; readonly name: string } {
  const isWide = isClusterScoped(type);
  const needsNamespace = !isWide && resource.namespace === '';
  if (typeof given === 'string' && !needsNamespace)
    return { namespace: isWide ? '' : resource.namespace, name: given };
  if (typeof given !== 'string' && (needsNamespace || (!isWide && from !== undefined)))
    return given;
  const expected = needsNamespace
    ? `return { namespace, name }, because the resource has no namespace`
    : `return the name alone`;
  throw new Error(`reads.${field} returned ${JSON.stringify(given)}; ${expected}`);
}

function namesIn(
  field: string,
  { name, names }: ReadDefinition<unknown>,
  resource: Resource<unknown>,
): readonly ReferenceName[] {
  const found: unknown = names === undefined ? name?.(resource) : names(resource);
  const list = names === undefined ? (found === undefined ? [] : [found]) : found;
  const isText = Array.isArray(list) && list.every(isName);
  if (isText) return list;
  const expected = names === undefined ? 'a string or undefined' : 'a list of strings';
  throw misreturned(`${field}.${names === undefined ? 'name' : 'names'}`, found, expected);
}

const misreturned = (path: string, found: unknown, expected: string): Error =>
  new Error(`reads.${path} returned ${JSON.stringify(found) ?? 'undefined'}; return ${expected}`);

const isName = (one: unknown): one is ReferenceName =>
  typeof one === 'string' ||
  ['namespace', 'name'].every((field) => typeof valueAt(one, field) === 'string');

/** Returns one reference for each namespace in which the selector is applied. */
function selectionsIn(
  field: string,
  definition: ReadDefinition<unknown>,
  reading: Reading,
): readonly Reference[] | Invalid {
  const { type, from } = definition;
  const given = definition.selector?.(reading.resource);
  if (given === undefined) return [];
  if (!isSelector(given))
    throw misreturned(`${field}.selector`, given, 'a label selector or undefined');
  const found = requirementsOf(given);
  if ('invalid' in found) return { invalid: `the label selector is invalid: ${found.invalid}` };
  const { requirements: selector } = found;
  const name = nameOfSelection(selector);
  const isWide = isClusterScoped(type) || from === 'all' || from === 'granted';
  const namespaces = isWide ? [''] : (from ?? [reading.resource.namespace]);
  return [...new Set(namespaces)]
    .toSorted()
    .map((namespace) => ({ type, namespace, name, selector, ...readerFor(definition, reading) }));
}

const nameOfSelection = (selector: Requirements): string => `(${selectorText(selector)})`;
