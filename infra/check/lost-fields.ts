import { isMap } from '../../shared/canonical.ts';
import type { Json, JsonObject } from '../../shared/kubernetes.ts';
import { bounds, type Narrowing, refusesType, type Schema, typeOf } from './narrowings.ts';

/** A field of a CRD that another version of the CRD drops or narrows. */
export interface Loss {
  /** `spec.replicas is dropped`, `spec.size: maximum 10 → 5` */
  readonly text: string;
  /** Reports whether a resource has a value that the other version would drop, or would refuse at the next write. */
  readonly concerns: (resource: JsonObject) => boolean;
}

/** A place in the schema: its path, and a function that reads its values from a resource. */
interface Place {
  readonly path: string;
  readonly read: (resource: JsonObject) => readonly Json[];
}

/**
 * Finds fields that the schema of a new CRD drops or narrows. Omits the status, because each run computes it again.
 *
 * Caveats: compares only the storage version; ignores CEL rules and combinations such as `oneOf`.
 */
export function lossesBetween(before: object, after: object): readonly Loss[] {
  const [was, is] = [storedSchema(before), storedSchema(after)];
  if (was === undefined || is === undefined) return [];
  return below(withoutStatus(was), is, { path: '', read: (resource) => [resource] });
}

interface Definition {
  readonly spec?: {
    readonly versions?: readonly {
      readonly storage?: boolean;
      readonly schema?: { readonly openAPIV3Schema?: Schema };
    }[];
  };
}

const storedSchema = (definition: Definition): Schema | undefined =>
  definition.spec?.versions?.find(({ storage }) => storage)?.schema?.openAPIV3Schema;

function withoutStatus({ properties = {}, ...schema }: Schema): Schema {
  const { status: _, ...others } = properties;
  return { ...schema, properties: others };
}

function compare(before: Schema, after: Schema, place: Place): readonly Loss[] {
  const [was, is] = [typeOf(before), typeOf(after)];
  const loss = ({ what, refuses }: Narrowing): Loss => ({
    text: `${place.path}: ${what}`,
    concerns: (resource) => place.read(resource).some((value) => value !== null && refuses(value)),
  });
  const isWider = is === undefined || was === is || widened[is]?.includes(was ?? '');
  const typed = isWider
    ? []
    : [
        loss({
          what: `type ${was ?? 'any'} → ${is}`,
          refuses: (value) => refusesType(is, value),
        }),
      ];
  // If one type replaces another, no other keyword can be compared.
  if (!isWider && was !== undefined) return typed;
  const isNotNull = before.nullable === true && after.nullable !== true && is !== undefined;
  return [
    ...(isNotNull
      ? [
          {
            text: `${place.path}: null is no longer allowed`,
            concerns: (resource: JsonObject) => place.read(resource).includes(null),
          },
        ]
      : []),
    ...typed,
    ...bounds(before, after).map(loss),
    ...below(before, after, place),
  ];
}

const widened: Readonly<Record<string, readonly string[]>> = {
  number: ['integer'],
  'int-or-string': ['integer', 'string'],
};

function below(before: Schema, after: Schema, place: Place): readonly Loss[] {
  const { items } = before;
  return [
    ...newlyRequired(before, after, place),
    ...fieldsOf(before, after).flatMap((name) => {
      const [was, is] = [propertyOf(before, name), propertyOf(after, name)];
      const field = fieldIn(place, name);
      if (was === undefined) return [];
      return is === undefined ? [dropped(field)] : compare(was, is, field);
    }),
    ...others(before, after, place),
    ...(items !== undefined && after.items !== undefined
      ? compare(items, after.items, itemsOf(place))
      : []),
  ];
}

const fieldsOf = ({ properties: was = {} }: Schema, { properties: is = {} }: Schema) => [
  ...new Set([...Object.keys(was), ...Object.keys(is)]),
];

const propertyOf = (schema: Schema, name: string): Schema | undefined =>
  ownProperty(schema, name) ?? openOf(schema);

const ownProperty = ({ properties = {} }: Schema, name: string): Schema | undefined =>
  Object.hasOwn(properties, name) ? properties[name] : undefined;

/** The schema of fields that `properties` does not list; undefined if such fields are dropped. */
function openOf(schema: Schema): Schema | undefined {
  const { additionalProperties } = schema;
  if (typeof additionalProperties === 'object') return additionalProperties;
  const isOpen = additionalProperties === true || schema['x-kubernetes-preserve-unknown-fields'];
  return isOpen || typeOf(schema) === undefined ? anything : undefined;
}

const anything: Schema = { 'x-kubernetes-preserve-unknown-fields': true };

function others(before: Schema, after: Schema, place: Place): readonly Loss[] {
  const [was, is] = [openOf(before), openOf(after)];
  // Ends the recursion: if both versions allow any value, nothing is lost at any depth.
  if (was === undefined || (was === anything && is === anything)) return [];
  const named = fieldsOf(before, after);
  const values = (resource: JsonObject): readonly Json[] =>
    place
      .read(resource)
      .filter(isMap)
      .flatMap((fields) => Object.entries(fields))
      .flatMap(([name, value]) => (named.includes(name) || value === undefined ? [] : [value]));
  const rest = { path: `${place.path}.*`, read: values };
  return is === undefined ? [dropped(rest)] : compare(was, is, rest);
}

const dropped = ({ path, read }: Place): Loss => ({
  text: `${path} is dropped`,
  concerns: (resource) => read(resource).length > 0,
});

function newlyRequired(before: Schema, after: Schema, place: Place): readonly Loss[] {
  const added = (after.required ?? []).filter((name) => !before.required?.includes(name));
  return added
    .filter((name) => ownProperty(after, name)?.default === undefined)
    .map((name) => ({
      text: `${fieldIn(place, name).path} is required, without a default`,
      concerns: (resource) =>
        place.read(resource).some((value) => isMap(value) && !Object.hasOwn(value, name)),
    }));
}

const fieldIn = ({ path, read }: Place, name: string): Place => ({
  path: path === '' ? name : `${path}.${name}`,
  read: (resource) =>
    read(resource).flatMap((value) => {
      const found = isMap(value) && Object.hasOwn(value, name) ? value[name] : undefined;
      return found === undefined ? [] : [found];
    }),
});

const itemsOf = ({ path, read }: Place): Place => ({
  path: `${path}[]`,
  read: (resource) => read(resource).flatMap((value) => (Array.isArray(value) ? value : [])),
});
