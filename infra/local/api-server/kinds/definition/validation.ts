import type { FieldError } from '../../errors/field-error.ts';
import { forbidden, invalid, notSupported, required } from '../../errors/field-error.ts';
import { jsonEqual } from '../../json/value.ts';
import { dnsLabel1035, dnsSubdomain } from '../../objects/names.ts';
import { approvalErrors } from './approval.ts';
import { type Definition, type DefinitionVersion, hasCondition } from './definition.ts';
import { dnsLabelErrors, namesErrors } from './names-validation.ts';
import {
  columnErrors,
  deprecationErrors,
  scalePathErrors,
  selectableErrors,
} from './paths-validation.ts';
import { checkStructural } from './structural.ts';

/** Validates a definition. */
export function definitionErrors(
  definition: Definition,
  old: Definition | undefined,
): FieldError[] {
  const { spec, metadata } = definition;
  if (!spec?.names || !Array.isArray(spec.versions)) return [required('spec.versions')];
  const name = `${spec.names.plural}.${spec.group}`;
  return [
    ...(old || metadata.name === name
      ? []
      : [invalid('metadata.name', metadata.name, 'must be spec.names.plural+"."+spec.group')]),
    ...groupErrors(spec.group),
    ...(['Cluster', 'Namespaced'].includes(spec.scope)
      ? []
      : [notSupported('spec.scope', spec.scope, ['Cluster', 'Namespaced'])]),
    ...(spec.preserveUnknownFields === true && old?.spec.preserveUnknownFields !== true
      ? [invalid('spec.preserveUnknownFields', true, noPreserving)]
      : []),
    ...spec.versions.flatMap((version, index) => versionErrors(definition, version, index)),
    ...storageErrors(definition),
    ...dnsLabelErrors(spec.versions[0]?.name, 'spec.version'),
    ...namesErrors(definition),
    ...conversionErrors(definition),
    ...(old ? immutableErrors(definition, old) : []),
    ...approvalErrors(definition, old),
  ];
}

const noPreserving =
  'cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead';

function groupErrors(group: string): FieldError[] {
  if (!group) return [required('spec.group')];
  const why = dnsSubdomain(group);
  if (why.length > 0) return [invalid('spec.group', group, why.join(','))];
  const isDomain = group.includes('.');
  return isDomain ? [] : [invalid('spec.group', group, 'should be a domain with at least one dot')];
}

function storageErrors({ spec, status }: Definition): FieldError[] {
  const stored = spec.versions.filter(({ storage }) => storage);
  const names = new Set(spec.versions.map(({ name }) => name));
  const wrong = (why: string): FieldError =>
    invalid('spec.versions', spec.versions.map(shownVersion), why);
  const none = invalid('status.storedVersions', null, 'must have at least one stored version');
  return [
    ...(names.size < spec.versions.length ? [wrong('must contain unique version names')] : []),
    ...(stored.length === 1
      ? []
      : [wrong('must have exactly one version marked as storage version')]),
    ...(status?.storedVersions?.length ? [] : [none]),
    ...(status?.storedVersions ?? []).flatMap((name, index) =>
      names.has(name)
        ? []
        : [invalid(`status.storedVersions[${index}]`, name, missingVersion(name))],
    ),
  ];
}

const missingVersion = (name: string): string =>
  `missing from spec.versions; ${name} was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in ${name} and removes ${name} from status.storedVersions`;

// Shows a version like Go, whose internal type stores a schema common to all versions elsewhere.
function shownVersion({ name, served, storage, deprecated = false }: DefinitionVersion) {
  return {
    Name: name,
    Served: served,
    Storage: storage,
    Deprecated: deprecated,
    DeprecationWarning: null,
    Schema: null,
    Subresources: null,
    AdditionalPrinterColumns: null,
    SelectableFields: null,
  };
}

// Refuses webhook conversion, which this server lacks; ignoring it would be wrong.
function conversionErrors({ spec }: Definition): FieldError[] {
  const strategy = spec.conversion?.strategy ?? 'None';
  if (strategy === 'None') return [];
  return [
    forbidden(
      'spec.conversion.strategy',
      `conversion ${strategy} is not implemented by the local cluster`,
    ),
  ];
}

function versionErrors(
  { spec }: Definition,
  version: DefinitionVersion,
  index: number,
): FieldError[] {
  const path = `spec.versions[${index}]`;
  const why = dnsLabel1035(version.name ?? '');
  const { subresources, additionalPrinterColumns: columns = [] } = version;
  const schema = version.schema?.openAPIV3Schema;
  // The server stores and reports the properties that all versions share in one place.
  const placeOf = (field: keyof DefinitionVersion, above: string): string | undefined => {
    const [first, ...others] = spec.versions.map((one) => one[field]);
    if (!others.every((one) => jsonEqual(one, first))) return `${path}.${field}`;
    return index === 0 ? above : undefined;
  };
  const at = (
    place: string | undefined,
    find: (place: string) => readonly FieldError[],
  ): readonly FieldError[] => (place === undefined ? [] : find(place));
  return [
    ...(why.length === 0 ? [] : [invalid(`${path}.name`, version.name ?? '', why.join(','))]),
    ...deprecationErrors(version, `${path}.deprecationWarning`),
    ...(schema === undefined
      ? [required(`${path}.schema.openAPIV3Schema`)]
      : at(placeOf('schema', 'spec.validation'), (place) => structuralErrors(schema, place))),
    ...at(placeOf('subresources', 'spec.subresources'), (place) =>
      scalePathErrors(subresources, place),
    ),
    ...at(placeOf('additionalPrinterColumns', 'spec.additionalPrinterColumns'), (place) =>
      columnErrors(columns, place),
    ),
    ...at(placeOf('selectableFields', 'spec.selectableFields'), (place) =>
      selectableErrors(version, place),
    ),
  ];
}

const structuralErrors = (
  schema: Parameters<typeof checkStructural>[0],
  place: string,
): readonly FieldError[] =>
  checkStructural(schema).map(({ field, ...error }) => ({
    ...error,
    field: field.replace(/^spec\.validation/, place),
  }));

function immutableErrors({ spec }: Definition, old: Definition): FieldError[] {
  const pairs: readonly (readonly [string, unknown, unknown])[] = [
    ['spec.group', spec.group, old.spec.group],
    ['spec.names.plural', spec.names.plural, old.spec.names.plural],
    ...(hasCondition(old, 'Established')
      ? ([
          ['spec.scope', spec.scope, old.spec.scope],
          ['spec.names.kind', spec.names.kind, old.spec.names.kind],
        ] as const)
      : []),
  ];
  return pairs
    .filter(([, value, before]) => value !== before)
    .map(([field, value]) => invalid(field, value, 'field is immutable'));
}
