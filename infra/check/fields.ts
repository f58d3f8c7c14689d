import {
  type BuiltInSchemas,
  readBuiltInSchemas,
} from '@serverless-reconciler/local-cluster/schemas';
import { isSameJson } from '../../shared/canonical.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import {
  apiVersionOf,
  isCustom,
  type Manifest,
  type ResourceType,
} from '../../shared/kubernetes.ts';
import { belowField, firstItem } from '../../shared/plan/drift/places.ts';
import { customResourceDefinition } from '../generate/crd.ts';
import { didYouMean } from '../similar.ts';

type Definitions = BuiltInSchemas['definitions'];
type Schema = Definitions[string];

/**
 * Returns what is wrong with a path; undefined if it leads to a field or the schema is unknown. A list item must be
 * named by all its keys, in alphabetical order.
 */
export function pathProblem(type: ResourceType, path: string): string | undefined {
  let at = schemaOf(type);
  for (let rest = `.${path}`; at !== undefined && rest !== ''; ) {
    at = resolved(at);
    if (at.items === undefined) {
      const { properties = {} } = at;
      const name = Object.keys(properties).find((one) => belowField(rest, one) !== undefined);
      if (name === undefined) return isOpen(at) ? undefined : noField(type, path, at);
      rest = belowField(rest, name) ?? '';
      at = properties[name];
    } else {
      const keys = at['x-kubernetes-list-map-keys'] ?? [];
      const item = firstItem(rest);
      if (item === undefined || !isSameJson(item.keys, keys.toSorted()))
        return `${path} leads into a list; give the path of the list itself${itemHint(keys)}`;
      rest = item.rest;
      at = at.items;
    }
  }
  return undefined;
}

const itemHint = (keys: readonly string[]): string =>
  keys.length === 0
    ? ''
    : `, or name an item: [${keys
        .toSorted()
        .map((key) => `${key}=…`)
        .join()}]`;

/** Describes an unknown field, even one in a list item, as in `containers[name="web"].imag`, a misspelt `image`. */
export function unknownFieldProblem(type: ResourceType, path: string): string {
  let at = schemaOf(type);
  for (const name of stepsOf(path).slice(0, -1)) {
    at = at && fieldOf(itemOf(resolved(at)), name);
  }
  return noField(type, path, at && itemOf(resolved(at)));
}

/** Returns the paths of illegal quantities. */
export const noQuantities = (type: ResourceType, object: unknown): readonly string[] =>
  noQuantitiesIn(schemaOf(type) ?? {}, object, '');

function noQuantitiesIn(given: Schema, value: unknown, path: string): readonly string[] {
  if (refOf(given)?.endsWith('.Quantity'))
    return typeof value !== 'string' || legalQuantity.test(value) ? [] : [path];
  if (typeof value !== 'object' || value === null) return [];
  const schema = resolved(given);
  return Object.entries(value).flatMap(([name, inner]) => {
    const isItem = Array.isArray(value);
    const below = isItem ? schema.items : fieldOf(schema, name);
    const inPath = isItem ? `${path}[${name}]` : [path, name].filter(Boolean).join('.');
    return below === undefined ? [] : noQuantitiesIn(below, inner, inPath);
  });
}

const legalQuantity = /^[+-]?[0-9.]+[eEinumkKMGTP]*[-+]?[0-9]*$/;

const noField = ({ kind }: ResourceType, path: string, parent: Schema | undefined): string =>
  `${path} is not a field of a ${kind}${didYouMean(stepsOf(path).at(-1) ?? '', Object.keys(parent?.properties ?? {}))}`;

const stepsOf = (path: string): readonly string[] => path.replaceAll(/\[[^\]]*\]/g, '').split('.');

const itemOf = (schema: Schema): Schema =>
  schema.items === undefined ? schema : resolved(schema.items);

function fieldOf(schema: Schema, name: string): Schema | undefined {
  const { properties = {}, additionalProperties } = schema;
  if (Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}

/** Reports whether a value of this schema may have fields of any name. */
const isOpen = (schema: Schema): boolean =>
  schema['x-kubernetes-preserve-unknown-fields'] === true ||
  (schema.additionalProperties ?? false) !== false;

/** Undefined for a type of another operator, whose CRD is unknown. */
function schemaOf(type: ResourceType): Schema | undefined {
  if (isDefined(type)) return definedSchema(type);
  if (isCustom(type)) return undefined;
  const { definitions } = readBuiltInSchemas();
  return Object.values(definitions).find((schema) =>
    schema['x-kubernetes-group-version-kind']?.some(
      (one) => apiVersionOf(one) === apiVersionOf(type) && one.kind === type.kind,
    ),
  );
}

export const isDefined = (type: ResourceType): type is Kind =>
  'schema' in type && 'desired' in type;

function definedSchema(kind: Kind): Schema | undefined {
  const { spec } = customResourceDefinition(kind) as Manifest & {
    readonly spec: {
      readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[];
    };
  };
  return spec.versions[0]?.schema.openAPIV3Schema;
}

function resolved(schema: Schema): Schema {
  const ref = refOf(schema);
  const found = ref && readBuiltInSchemas().definitions[ref.replace('#/definitions/', '')];
  return found ? resolved(found) : schema;
}

const refOf = ({ $ref, allOf }: Schema): string | undefined => $ref ?? allOf?.[0]?.$ref;
