import {
  groupResource,
  includesType,
  isClusterScoped,
  isSameType,
  qualifiedName,
  type ResourceType,
} from '../../kubernetes.ts';
import {
  isSelected,
  type LabelSelector,
  type Labels,
  type Requirements,
  requirementsOf,
  selectorText,
} from '../../label-selector.ts';
import { quote } from '../../printable.ts';
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

/** A selector counts once for each namespace in `from`. */
const maxReferences = 64;

interface Referrer {
  readonly kind: ResourceType & { readonly owns: readonly ResourceType[] };
  readonly resource: Resource<unknown>;
}

type FieldOfReferrer = Referrer & ReadDefinition<unknown> & { readonly field: string };

/** Throws an InvalidSpec for illegal or too many references. */
export function referencesIn(reads: ReadDefinitions<unknown>, referrer: Referrer) {
  const fields = namedReads(reads).map(([field, definition]): FieldReferences => {
    const { type, names, selector } = definition;
    const reader = { ...referrer, ...definition, field };
    const isSource = isSameType(type, secret) && includesType(referrer.kind.owns, secret);
    const found = selector === undefined ? namedIn(reader) : selectionsIn(reader);
    const references = isSource ? found.map((one) => ({ ...one, isSource })) : found;
    const form = selector !== undefined ? 'selected' : names === undefined ? 'one' : 'list';
    return { field, form, references };
  });
  const count = fields.flatMap(({ references }) => references).length;
  if (count > maxReferences)
    throw new InvalidSpec(`${count} references to objects exceed the limit of ${maxReferences}`);
  return fields;
}

function namedIn(referrer: FieldOfReferrer): readonly Reference[] {
  const { field, type, from, resource } = referrer;
  return namesIn(referrer).map((given) => {
    const { namespace, name } = keyOf(given, referrer);
    const isElsewhere = namespace !== resource.namespace;
    const shown = qualifiedName(isElsewhere ? namespace : '', name);
    if (objectName(name) !== name || (namespace !== '' && namespaceName(namespace) !== namespace))
      throw new InvalidSpec(`${quote(shown)} is not a valid ${type.kind} name (reads.${field})`);
    if (Array.isArray(from) && !from.includes(namespace))
      throw new InvalidSpec(
        `${type.kind} ${shown} is not in a namespace that the kind reads (reads.${field})`,
      );
    return { type, namespace, name, ...(isElsewhere ? readerOf(referrer) : {}) };
  });
}

const readerOf = ({ from, kind, resource: { namespace } }: FieldOfReferrer) =>
  from === 'granted' ? { reader: { namespace, resource: groupResource(kind) } } : {};

function keyOf(given: ReferenceName, { field, kind, type, from, resource }: FieldOfReferrer) {
  const isWide = isClusterScoped(type);
  const needsNamespace = !isWide && resource.namespace === '';
  if (typeof given === 'string' && !needsNamespace)
    return { namespace: isWide ? '' : resource.namespace, name: given };
  if (typeof given !== 'string' && !isWide && from !== undefined) return given;
  const expected = needsNamespace
    ? '{ namespace, name }, because the resource has no namespace'
    : 'the name alone';
  throw new Error(
    `${kind.kind}: reads.${field} returned ${JSON.stringify(given)}; return ${expected}`,
  );
}

function namesIn({ kind, name, names, resource }: FieldOfReferrer): readonly ReferenceName[] {
  if (names !== undefined) return callOwn(kind.kind, names, resource);
  return [(name && callOwn(kind.kind, name, resource)) ?? []].flat();
}

function selectionsIn(referrer: FieldOfReferrer): readonly Reference[] {
  const { field, kind, type, from, selector, resource } = referrer;
  const given = selector && callOwn(kind.kind, selector, resource);
  if (given === undefined) return [];
  const requirements = validRequirements(given, ` (reads.${field})`);
  const isWide = isClusterScoped(type) || from === 'all' || from === 'granted';
  const namespaces = isWide ? [''] : (from ?? [resource.namespace]);
  return [...new Set(namespaces)].toSorted().map((namespace) => ({
    type,
    namespace,
    // Only an empty selector has the text `any labels`, because a label key contains no space.
    name: `(${selectorText(requirements) || 'any labels'})`,
    selector: requirements,
    ...(includesType(kind.owns, type) && { owner: resource.uid }),
    ...readerOf(referrer),
  }));
}

/**
 * Reports whether a label selector in a spec selects an object with these labels; undefined selects none, `{}` all.
 * An invalid selector makes the resource `InvalidSpec`.
 */
export const selects = (selector: LabelSelector | undefined, labels: Labels | undefined): boolean =>
  selector !== undefined && isSelected(validRequirements(selector), labels);

function validRequirements(selector: LabelSelector, place = ''): Requirements {
  const found = requirementsOf(selector);
  if (typeof found !== 'string') return found;
  throw new InvalidSpec(`the label selector is invalid: ${found}${place}`);
}
