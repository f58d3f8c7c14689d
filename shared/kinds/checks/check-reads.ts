import { textAt } from '../../json.ts';
import { isClusterScoped, isSameType, type ResourceType } from '../../kubernetes.ts';
import { secret } from '../child-types/core.ts';
import { namespaceName } from '../names.ts';

const readFields = ['type', 'name', 'names', 'selector', 'from'];

/** Finds what is wrong with one field of `reads`. */
export function readProblems(
  definition: Pick<ResourceType, 'scope'>,
  read: Readonly<Record<string, unknown>>,
): readonly string[] {
  const { type, name, names, selector, from } = read;
  const unknown = Object.keys(read).filter((field) => !readFields.includes(field));
  const isType = ['version', 'kind', 'plural'].every((field) => textAt(type, field) !== undefined);
  return [
    ...(isType ? [] : ['type must be a child type, such as configMap, or a kind']),
    ...(isType && isClusterScoped(type as ResourceType) && !isClusterScoped(definition)
      ? ['its type is cluster-scoped; a namespaced resource reads only its own namespace']
      : []),
    ...unknown.map((field) => `it has no field ${field}; its fields are ${readFields.join(', ')}`),
    ...Object.entries({ name, names, selector })
      .filter(([, value]) => !['undefined', 'function'].includes(typeof value))
      .map(([field]) => `${field} must be a function of the resource: ({ spec }) => …`),
    ...([name, names, selector].filter((one) => one !== undefined).length > 1
      ? ['it has two of name, names and selector; keep one']
      : []),
    ...(isType ? placeProblems(definition, { type: type as ResourceType, selector, from }) : []),
  ];
}

/** Checks the namespaces that a kind reads: a spec must not show its author objects that RBAC hides. */
function placeProblems(
  definition: Pick<ResourceType, 'scope'>,
  {
    type,
    selector,
    from,
  }: { readonly type: ResourceType; readonly selector: unknown; readonly from: unknown },
): readonly string[] {
  const isList = Array.isArray(from) && from.length > 0 && from.every((one) => isNamespace(one));
  if (from === undefined)
    return selector !== undefined && isClusterScoped(definition) && !isClusterScoped(type)
      ? ["a cluster-scoped resource has no namespace to select in; set from: 'all' or a list"]
      : [];
  return [
    ...(isList || from === 'all' || from === 'granted'
      ? []
      : ["from must be a list of namespaces, 'all' or 'granted'"]),
    ...(isClusterScoped(type) ? ['its type is cluster-scoped; remove from'] : []),
    ...(isSameType(type, secret) && from !== 'granted'
      ? ["Secrets of other namespaces are read only with from: 'granted'"]
      : []),
  ];
}

const isNamespace = (name: unknown): boolean =>
  typeof name === 'string' && name !== '' && namespaceName(name) === name;
