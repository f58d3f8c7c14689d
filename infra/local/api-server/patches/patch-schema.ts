import { own } from '../json/own.ts';
import { type Definitions, refName, resolveRef, type Schema } from '../schema/schema.ts';

/** A strategic merge patch that contradicts itself or the schema, and the status that answers it. */
export class StrategicPatchError extends Error {
  readonly code: 400 | 422 | 500;

  constructor(message: string, code: 400 | 422 | 500 = 500) {
    super(message);
    this.code = code;
  }
}

/** The schema of a value that is patched; undefined where nothing is known of it. */
export interface PatchSchema {
  readonly schema: Schema | undefined;
  readonly definitions: Definitions;
}

/** The place of a field; one that the schema does not know cannot be merged. */
export function below({ schema, definitions }: PatchSchema, field: string): PatchSchema {
  const parent = schema && resolveRef(schema, definitions);
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
}

/** The place of a field that has to be a list. */
export function belowAsList(place: PatchSchema, field: string): PatchSchema {
  const found = below(place, field);
  const schema = found.schema && resolveRef(found.schema, place.definitions);
  if (schema === undefined || schema.items !== undefined) return found;
  throw new StrategicPatchError('expected slice or array type, but got: struct');
}

export function itemsOf({ schema, definitions }: PatchSchema): PatchSchema {
  return {
    schema: schema && resolveRef(schema, definitions).items,
    definitions,
  };
}

/** How the lists or maps at this place take a patch: merged, or replaced as a whole. */
export function hasStrategy({ schema }: PatchSchema, strategy: 'merge' | 'replace'): boolean {
  return (schema?.['x-kubernetes-patch-strategy'] ?? '').split(',').includes(strategy);
}

/** The field that names the items of a list; undefined for lists of scalars. */
export function mergeKeyOf({ schema }: PatchSchema): string | undefined {
  return schema?.['x-kubernetes-patch-merge-key'];
}
