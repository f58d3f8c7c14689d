import { readBuiltInSchemas } from '@serverless-reconciler/local-cluster/schemas';
import type { ChildType } from '../../shared/kinds/child-type.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { isQuantity } from '../../shared/plan/drift/quantity.ts';

type Schema = JsonObject & { readonly $ref?: string };
const quantity = '#/definitions/io.k8s.apimachinery.pkg.api.resource.Quantity';
const { definitions } = readBuiltInSchemas() as unknown as {
  readonly definitions: Readonly<Record<string, Schema>>;
};

/** Lists the paths of all quantities in a schema, with `[]` for an item and `x` for a key. */
function quantityPaths(schema: Schema, path: string, above: readonly string[]): readonly string[] {
  const [inner] = (schema.allOf ?? [schema]) as readonly Schema[];
  const { $ref } = inner ?? schema;
  if ($ref === quantity) return [path];
  if ($ref !== undefined && above.includes($ref)) return [];
  const whole = $ref === undefined ? schema : definitions[$ref.slice('#/definitions/'.length)];
  const {
    properties = {},
    items,
    additionalProperties,
  } = (whole ?? {}) as {
    readonly properties?: Readonly<Record<string, Schema>>;
    readonly items?: Schema;
    readonly additionalProperties?: Schema | boolean;
  };
  const met = $ref === undefined ? above : [...above, $ref];
  return [
    ...Object.entries(properties).flatMap(([name, field]) =>
      quantityPaths(field, path === '' ? name : `${path}.${name}`, met),
    ),
    ...(items === undefined ? [] : quantityPaths(items, `${path}[]`, met)),
    ...(typeof additionalProperties === 'object'
      ? quantityPaths(additionalProperties, `${path}.x`, met)
      : []),
  ];
}

/** Lists the paths of the quantities in the schema of a type, except those in its status. */
export function quantitiesInSchema({ group, version, kind }: ChildType): readonly string[] {
  const schema = Object.values(definitions).find((one) =>
    ((one['x-kubernetes-group-version-kind'] ?? []) as readonly JsonObject[]).some(
      (name) => name.group === group && name.version === version && name.kind === kind,
    ),
  );
  if (schema === undefined) throw new Error(`there is no schema of ${kind}`);
  return quantityPaths(schema, '', []).filter(
    (path) => !/^status|volumeClaimTemplates\[\][.]status/.test(path),
  );
}

/** Lists the quantities in the schema that the type does not declare. */
export const unknownQuantities = (type: ChildType): readonly string[] =>
  quantitiesInSchema(type).filter((path) => !isQuantity(type.quantities ?? [], path));
