import { own } from '../json/own.ts';
import { type Definitions, refName, resolveRef, type Schema } from '../schema/schema.ts';

/** A strategic merge patch that contradicts itself or the schema, with the status of the answer. */
export class StrategicPatchError extends Error {
  readonly code: 400 | 422 | 500;

  constructor(message: string, code: 400 | 422 | 500 = 500) {
    super(message);
    this.code = code;
  }
}

/** The schema of a patched value; undefined if it has none. */
export interface PatchSchema {
  readonly schema: Schema | undefined;
  readonly definitions: Definitions;
}

/** Returns the schema of a field; throws for an unknown field, which cannot be merged. */
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

/** Returns the schema of a field that must be a list. */
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

/** How lists or maps take a patch: merged, or replaced as a whole. */
export function hasStrategy({ schema }: PatchSchema, strategy: 'merge' | 'replace'): boolean {
  return (schema?.['x-kubernetes-patch-strategy'] ?? '').split(',').includes(strategy);
}

/** Returns the merge key of a list; undefined for a list of scalars. */
export function mergeKeyOf({ schema }: PatchSchema): string | undefined {
  return schema?.['x-kubernetes-patch-merge-key'];
}
