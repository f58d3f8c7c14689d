import type { Printer } from '../printing/printer.ts';
import type { Conversion, Resource, ScalePaths } from '../resources/resource.ts';
import type { Strategy } from '../resources/strategy.ts';
import type { BuiltInSchemas } from './schemas.ts';

/** What distinguishes one built-in kind from another; the rest is derived. */
export interface KindEntry {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly strategy: Strategy;
  readonly printer: Printer;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly clusterWide?: true;
  readonly status?: true;
  readonly scale?: ScalePaths;
  readonly fields?: readonly string[];
  readonly collection?: string;
  readonly conversion?: Conversion;
}

/** The resource of an entry. */
export function toResource(one: KindEntry, schemas: BuiltInSchemas): Resource {
  return {
    group: one.group,
    plural: one.plural,
    singular: one.kind.toLowerCase(),
    kind: one.kind,
    listKind: `${one.kind}List`,
    shortNames: one.shortNames ?? [],
    categories: one.categories ?? [],
    namespaced: one.clusterWide !== true,
    collection: one.collection ?? (one.group === '' ? one.plural : `${one.plural}.${one.group}`),
    custom: false,
    strategy: one.strategy,
    selectableFields: one.fields ?? [],
    versions: [
      {
        name: one.version,
        schema: schemas.schemaOf(one.group, one.version, one.kind),
        printer: one.printer,
        status: one.status === true,
        ...(one.scale ? { scale: one.scale } : {}),
        ...(one.conversion ? { conversion: one.conversion } : {}),
      },
    ],
  };
}
