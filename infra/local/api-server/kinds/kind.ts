import type { Printer } from '../printing/printer.ts';
import type { Conversion, Resource, ScalePaths } from '../resources/resource.ts';
import type { Strategy } from '../resources/strategy.ts';
import type { SchemaSource } from '../schema/schema.ts';

/** A built-in kind, as the real server's discovery describes it. */
export interface DiscoveredKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly string[];
}

/** Properties of a built-in kind that neither discovery nor its schema has. */
export interface KindEntry {
  readonly group: string;
  readonly kind: string;
  readonly strategy: Strategy;
  readonly printer: Printer;
  readonly fields?: readonly string[];
  readonly collection?: string;
  readonly conversion?: Conversion;
  readonly deprecationWarning?: string;
}

/** The paths of scale, equal for all built-in kinds. */
const scale: ScalePaths = {
  specReplicasPath: '.spec.replicas',
  statusReplicasPath: '.status.replicas',
  labelSelectorPath: '.spec.selector',
};

/** The resource of an entry. */
export function toResource(kind: DiscoveredKind, entry: KindEntry, schema: SchemaSource): Resource {
  const { group, plural } = kind;
  return {
    group,
    plural,
    singular: kind.singular,
    kind: kind.kind,
    listKind: `${kind.kind}List`,
    shortNames: kind.shortNames,
    categories: kind.categories,
    namespaced: kind.namespaced,
    collection: entry.collection ?? (group === '' ? plural : `${plural}.${group}`),
    custom: false,
    strategy: entry.strategy,
    selectableFields: entry.fields ?? [],
    versions: [
      {
        name: kind.version,
        schema,
        printer: entry.printer,
        status: kind.subresources.includes('status'),
        ...(kind.subresources.includes('scale') ? { scale } : {}),
        ...(entry.deprecationWarning ? { deprecationWarning: entry.deprecationWarning } : {}),
        ...(entry.conversion ? { conversion: entry.conversion } : {}),
      },
    ],
  };
}
