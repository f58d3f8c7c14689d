import { own } from '../objects/own.ts';
import { type Definitions, refName, resolve, type Schema } from '../schema/schema.ts';
import { StrategicPatchError } from './strategic-patch-error.ts';

/** The schema of a value that is patched; undefined where nothing is known of it. */
export interface Place {
  readonly schema: Schema | undefined;
  readonly definitions: Definitions;
}

/** The place of a field; one that the schema does not know cannot be merged. */
export const below = ({ schema, definitions }: Place, field: string): Place => {
  const parent = schema && resolve(schema, definitions);
  const rest = parent?.additionalProperties;
  const next = own(parent?.properties, field) ?? (typeof rest === 'object' ? rest : undefined);
  if (next === undefined && parent?.properties !== undefined) {
    const type =
      parent['x-kubernetes-group-version-kind']?.[0]?.kind ?? refName(schema ?? {}) ?? '';
    throw new StrategicPatchError(
      `unable to find api field in struct ${type.split('.').at(-1)} for the json field ${JSON.stringify(field)}`,
    );
  }
  return { schema: next, definitions };
};

/** The place of a field that has to be a list. */
export const belowAsList = (place: Place, field: string): Place => {
  const found = below(place, field);
  const schema = found.schema && resolve(found.schema, place.definitions);
  if (schema === undefined || schema.items !== undefined) return found;
  throw new StrategicPatchError('expected slice or array type, but got: struct');
};

export const itemsOf = ({ schema, definitions }: Place): Place => ({
  schema: schema && resolve(schema, definitions).items,
  definitions,
});

/** How the lists or maps at this place take a patch: merged, or replaced as a whole. */
export const hasStrategy = ({ schema }: Place, strategy: 'merge' | 'replace'): boolean =>
  (schema?.['x-kubernetes-patch-strategy'] ?? '').split(',').includes(strategy);

/** The field that names the items of a list; undefined for lists of scalars. */
export const mergeKeyOf = ({ schema }: Place): string | undefined =>
  schema?.['x-kubernetes-patch-merge-key'];
