import { badRequest } from '../errors/api-errors.ts';
import type { JsonObject } from '../json/value.ts';
import type { Column } from '../printing/printer.ts';
import type { Served } from '../resources/resource.ts';
import { readIn } from '../resources/target.ts';
import type { Stored } from '../storage/stored.ts';
import { partial, type Representing } from './partial.ts';

/** Marks the bookmark after the initial events of a watch, which is shown whatever `includeObject` says. */
export const initialEventsEndAnnotation = 'k8s.io/initial-events-end';

/** Builds a Table of objects, as `kubectl get` prints it. */
export function tableOf(
  served: Served,
  entries: readonly Stored[],
  { media, query, now, metadata, withoutColumns }: Representing & { readonly metadata: JsonObject },
): JsonObject {
  const { columns, cells } = served.version.printer;
  const include = includeOf(query);
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${media.metaVersion}`,
    metadata,
    columnDefinitions: withoutColumns ? null : columns.map(definitionOf),
    rows: entries.map((stored) => {
      const object = readIn(served, stored);
      return {
        cells: cells(object, now),
        ...rowObject(include, { stored, object, metaVersion: media.metaVersion }),
      };
    }),
  };
}

function definitionOf({ name, type, format = '', description = '', priority = 0 }: Column) {
  return {
    name,
    type,
    format,
    description,
    priority,
  };
}

/** Reads `includeObject`, which selects the contents of rows besides cells; throws a 400 for an unknown value. */
export function includeOf(query: URLSearchParams): string {
  const include = query.get('includeObject') || 'Metadata';
  if (['None', 'Metadata', 'Object'].includes(include)) return include;
  throw badRequest(
    `Unable to convert to Table as requested: includeObject: Invalid value: ${JSON.stringify(include)}: must be 'Metadata', 'Object', 'None', or empty`,
  );
}

function rowObject(
  include: string,
  row: { readonly stored: Stored; readonly object: JsonObject; readonly metaVersion: string },
): JsonObject {
  if (include === 'None' && !row.stored.body.includes(initialEventsEndAnnotation))
    return { object: null };
  return { object: include === 'Object' ? row.object : partial(row.stored, row.metaVersion) };
}
