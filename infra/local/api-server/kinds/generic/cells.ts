import {
  isObject,
  type JsonObject,
  objectAt,
  objectsAt,
  textAt,
  valueAt,
} from '../../json/value.ts';
import { number } from '../../printing/cells.ts';
import { type Cell, cell, nameCell } from '../../printing/printer.ts';

export const none = '<none>';
export const unset = '<unset>';

/** Builds a column that shows a field, or `otherwise` if it is absent. */
export function field(name: string, path: string, otherwise: unknown = ''): Cell {
  const type =
    typeof otherwise === 'boolean' || typeof otherwise === 'number' ? typeof otherwise : 'string';
  return cell(name, (object) => valueAt(object, path) ?? otherwise, {
    type: type === 'number' ? 'integer' : type,
  });
}

/** Builds a column that counts the items of a list. */
export function count(name: string, path: string): Cell {
  return number(name, (object) => {
    const list = valueAt(object, path);
    return Array.isArray(list) ? list.length : 0;
  });
}

export function joined(values: readonly unknown[], otherwise = none): string {
  return values.join(',') || otherwise;
}

export const accessModes: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

export function conditionOf(object: JsonObject, wanted: string): JsonObject | undefined {
  return objectsAt(objectAt(object, 'status'), 'conditions').find(({ type }) => type === wanted);
}

export function defaultName(annotation: string): Cell {
  return {
    ...nameCell,
    value: ({ metadata }) => {
      const { name = '', annotations } = (metadata ?? {}) as JsonObject;
      const isDefault = isObject(annotations) && annotations[annotation] === 'true';
      return isDefault ? `${name} (default)` : name;
    },
  };
}

export function nodeStatus(object: JsonObject): string {
  const status = conditionOf(object, 'Ready')?.status;
  const ready = status === undefined ? 'Unknown' : status === 'True' ? 'Ready' : 'NotReady';
  return objectAt(object, 'spec').unschedulable === true ? `${ready},SchedulingDisabled` : ready;
}

const rolePrefix = 'node-role.kubernetes.io/';

export function nodeRoles(object: JsonObject): string {
  const labels = objectAt(objectAt(object, 'metadata'), 'labels');
  const roles = Object.entries(labels).flatMap(([key, value]) => {
    if (key.startsWith(rolePrefix)) return [key.slice(rolePrefix.length)];
    return key === 'kubernetes.io/role' && value !== '' ? [String(value)] : [];
  });
  return joined(roles.filter(Boolean).sort());
}

export function nodeAddress(type: string): (object: JsonObject) => string {
  return (object) => {
    const addresses = objectsAt(objectAt(object, 'status'), 'addresses');
    return (
      textAt(
        addresses.find((one) => one.type === type),
        'address',
      ) || none
    );
  };
}

export function nodeInfo(name: string): (object: JsonObject) => string {
  return (object) => textAt(objectAt(objectAt(object, 'status'), 'nodeInfo'), name) || '<unknown>';
}

export function kernel(object: JsonObject): string {
  const architecture = textAt(objectAt(objectAt(object, 'status'), 'nodeInfo'), 'architecture');
  return `${nodeInfo('kernelVersion')(object)}${architecture === '' ? '' : ` (${architecture})`}`;
}

export function quota(isLimit: boolean): (object: JsonObject) => string {
  return (object) => {
    const { hard, used } = objectAt(object, 'status') as Record<string, JsonObject | undefined>;
    return Object.entries(hard ?? {})
      .filter(([name]) => name.startsWith('limits.') === isLimit)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, amount]) => `${name}: ${used?.[name] ?? '0'}/${amount}`)
      .join(', ');
  };
}

export function controllerOf(object: JsonObject): string {
  const owners = objectsAt(objectAt(object, 'metadata'), 'ownerReferences');
  const owner = owners.find(({ controller }) => controller === true);
  if (owner === undefined) return none;
  const [group = ''] = textAt(owner, 'apiVersion').split('/').slice(0, -1);
  const kind = textAt(owner, 'kind').toLowerCase();
  return `${group === '' ? kind : `${kind}.${group}`}/${textAt(owner, 'name')}`;
}

export function parameters(object: JsonObject): string {
  const given = objectAt(objectAt(object, 'spec'), 'parameters');
  if (given.name === undefined) return none;
  const group = textAt(given, 'apiGroup');
  return `${textAt(given, 'kind')}${group === '' ? '' : `.${group}`}/${textAt(given, 'name')}`;
}

export const shown = 3;

/** Shows the first item of a list and the number of further items. */
export function firstOf(values: readonly string[], most: number): string {
  if (values.length === 0) return unset;
  const more = values.length > most ? ` + ${values.length - most} more...` : '';
  return `${values.slice(0, most).join(',')}${more}`;
}

export function subsets(object: JsonObject): string {
  const all = objectsAt(object, 'subsets').flatMap((subset) =>
    objectsAt(subset, 'ports').flatMap(({ port }) =>
      objectsAt(subset, 'addresses').map(({ ip }) => `${ip}:${port}`),
    ),
  );
  return all.length === 0 ? none : firstOf(all, shown);
}

export function slicePorts(object: JsonObject): string {
  const ports = objectsAt(object, 'ports').map(({ name, port }) =>
    port === undefined ? `${name || ''}*` : String(port),
  );
  return firstOf(ports, shown);
}

export function parentOf({ spec }: JsonObject): string {
  const { group, resource, namespace, name } = objectAt({ spec }, 'spec').parentRef as JsonObject;
  const plural = group ? `${resource}.${group}` : String(resource);
  return [plural, ...(namespace ? [String(namespace)] : []), String(name)].join('/');
}

export const paramKind = cell('ParamKind', (object) => {
  const { apiVersion, kind } = objectAt(objectAt(object, 'spec'), 'paramKind');
  return kind === undefined ? unset : `${apiVersion}/${kind}`;
});

export const paramRef = cell('ParamRef', (object) => {
  const reference = objectAt(object, 'spec').paramRef;
  if (!isObject(reference)) return unset;
  const name = textAt(reference, 'name');
  if (name === '') return '*';
  return `${textAt(reference, 'namespace') || '*'}/${name}`;
});
