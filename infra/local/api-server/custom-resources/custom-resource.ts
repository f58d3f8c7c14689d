import { jsonEqual } from '../json/value.ts';
import type {
  Definition,
  DefinitionVersion,
  PrinterColumn,
} from '../kinds/definition/definition.ts';
import { dnsSubdomain } from '../objects/names.ts';
import type { KubeObject } from '../objects/object.ts';
import { jsonCell } from '../printing/json-cell.ts';
import { compileJsonPath } from '../printing/json-path.ts';
import type { Printer } from '../printing/printer.ts';
import { cell, plainPrinter, printer } from '../printing/printer.ts';
import type { Resource, ServedVersion } from '../resources/resource.ts';
import type { Strategy } from '../resources/strategy.ts';
import { applyDefaults } from '../schema/default.ts';
import { prune } from '../schema/prune.ts';
import type { Definitions, SchemaSource } from '../schema/schema.ts';

/** Builds the resource that a definition defines. */
export function customResource(definition: Definition, definitions: Definitions): Resource {
  const { spec } = definition;
  const { names, group, versions } = spec;
  const storage = versions.find((version) => version.storage);
  const fields = [...new Set(versions.flatMap(selectableOf))];
  return {
    group,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    namespaced: spec.scope === 'Namespaced',
    collection: `${names.plural}.${group}`,
    custom: true,
    defined: versions.map(({ name }) => name),
    strategy: strategyOf(storage, fields),
    selectableFields: fields,
    versions: versions
      .filter(({ served }) => served)
      .map((version) => servedVersion(definition, version, definitions)),
  };
}

function selectableOf({ selectableFields = [] }: DefinitionVersion): string[] {
  return selectableFields.map(({ jsonPath }) => jsonPath.replace(/^\./, ''));
}

function strategyOf(storage: DefinitionVersion | undefined, fields: readonly string[]): Strategy {
  const hasStatus = storage?.subresources?.status !== undefined;
  const paths = fields.map((field) => ({ field, read: compileJsonPath(`.${field}`) }));
  return {
    nameRule: dnsSubdomain,
    allowUnconditionalUpdate: false,
    isNewGeneration: (object, old) =>
      !jsonEqual(counted(object, hasStatus), counted(old, hasStatus)),
    selectableFields: (object) =>
      Object.fromEntries(paths.map(({ field, read }) => [field, String(read(object)[0] ?? '')])),
  };
}

/** Returns the part of an object whose changes increment the generation. */
function counted(object: KubeObject, hasStatus: boolean): unknown {
  const { metadata: _metadata, apiVersion: _version, status, ...rest } = object;
  return hasStatus ? rest : { ...rest, status };
}

function servedVersion(
  { spec }: Definition,
  version: DefinitionVersion,
  definitions: Definitions,
): ServedVersion {
  const schema = schemaOf(version, definitions);
  const { subresources, deprecated, deprecationWarning } = version;
  return {
    name: version.name,
    schema,
    printer: customPrinter(version.additionalPrinterColumns ?? []),
    status: subresources?.status !== undefined,
    ...(subresources?.scale ? { scale: subresources.scale } : {}),
    ...(deprecated
      ? {
          deprecationWarning:
            deprecationWarning ?? `${spec.group}/${version.name} ${spec.names.kind} is deprecated`,
        }
      : {}),
  };
}

export function schemaOf(version: DefinitionVersion, definitions: Definitions): SchemaSource {
  return {
    root: version.schema?.openAPIV3Schema ?? { type: 'object' },
    definitions,
  };
}

/** Converts a stored object to a schema, which may be newer than the object. */
export function shownUnder(schema: SchemaSource, object: KubeObject): KubeObject {
  return applyDefaults(schema, prune(schema, object).value) as KubeObject;
}

function customPrinter(columns: readonly PrinterColumn[]): Printer {
  if (columns.length === 0) return plainPrinter;
  return printer(columns.map(columnCell));
}

function columnCell(column: PrinterColumn) {
  const read = compileJsonPath(column.jsonPath);
  const made = cell(column.name, (object, now) => jsonCell(column.type, read(object)[0], now), {
    type: column.type,
  });
  return {
    ...made,
    format: column.format ?? '',
    description:
      column.description ??
      `Custom resource definition column (in JSONPath format): ${column.jsonPath}`,
    priority: column.priority ?? 0,
  };
}
