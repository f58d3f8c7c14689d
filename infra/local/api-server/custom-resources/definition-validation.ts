import type { FieldError } from '../errors/errors.ts';
import { dnsLabel1035 } from '../objects/names.ts';
import { compileJsonPath } from '../printers/json-path.ts';
import { forbidden, invalid, notSupported, required } from '../schema/field-error.ts';
import { checkStructural } from '../schema/structural.ts';
import { type Definition, type DefinitionVersion, hasCondition } from './definition.ts';

/** What is wrong with a definition. */
export const definitionErrors = (
  definition: Definition,
  old: Definition | undefined,
): FieldError[] => {
  const { spec, metadata } = definition;
  if (!spec?.names || !Array.isArray(spec.versions)) return [required('spec.versions')];
  const name = `${spec.names.plural}.${spec.group}`;
  return [
    ...(old || metadata.name === name
      ? []
      : [invalid('metadata.name', metadata.name, 'must be spec.names.plural+"."+spec.group')]),
    ...namesErrors(definition),
    ...(['Cluster', 'Namespaced'].includes(spec.scope)
      ? []
      : [notSupported('spec.scope', spec.scope, ['Cluster', 'Namespaced'])]),
    ...storageErrors(definition),
    ...conversionErrors(definition),
    ...spec.versions.flatMap((version, index) => versionErrors(definition, version, index)),
    ...(old ? immutableErrors(definition, old) : []),
  ];
};

const namesErrors = ({ spec }: Definition): FieldError[] => {
  const { plural, singular = '', kind } = spec.names;
  return [
    ...(plural ? [] : [required('spec.names.plural')]),
    ...dnsLabel1035(plural || 'a').map((why) => invalid('spec.names.plural', plural, why)),
    ...dnsLabel1035(singular || 'a').map((why) => invalid('spec.names.singular', singular, why)),
    ...(kind ? [] : [required('spec.names.kind')]),
    ...dnsLabel1035((kind || 'a').toLowerCase()).map((why) =>
      invalid('spec.names.kind', kind, `may have mixed case, but should otherwise match: ${why}`),
    ),
  ];
};

const storageErrors = ({ spec }: Definition): FieldError[] => {
  const stored = spec.versions.filter(({ storage }) => storage);
  if (stored.length === 1) return [];
  const why = 'must have exactly one version marked as storage version';
  const none = invalid('status.storedVersions', null, 'must have at least one stored version');
  return [
    invalid('spec.versions', spec.versions.map(shownVersion), why),
    ...(stored.length === 0 ? [none] : []),
  ];
};

// As Go shows the version inside an error, with one schema for all kept elsewhere.
const shownVersion = ({ name, served, storage, deprecated = false }: DefinitionVersion) => ({
  Name: name,
  Served: served,
  Storage: storage,
  Deprecated: deprecated,
  DeprecationWarning: null,
  Schema: null,
  Subresources: null,
  AdditionalPrinterColumns: null,
  SelectableFields: null,
});

// Webhook conversion is a gap of this server: refused, not ignored.
const conversionErrors = ({ spec }: Definition): FieldError[] => {
  const strategy = spec.conversion?.strategy ?? 'None';
  if (strategy === 'None') return [];
  return [
    forbidden(
      'spec.conversion.strategy',
      `conversion ${strategy} is not implemented by the local cluster`,
    ),
  ];
};

const versionErrors = (
  { spec }: Definition,
  version: DefinitionVersion,
  index: number,
): FieldError[] => {
  const path = `spec.versions[${index}]`;
  const schema = version.schema?.openAPIV3Schema;
  // One schema for all versions is kept, and told of, in one place.
  const place = spec.versions.length === 1 ? 'spec.validation' : `${path}.schema`;
  if (schema === undefined) {
    return [required(`${path}.schema.openAPIV3Schema`)];
  }
  return [
    ...checkStructural(schema).map(({ field, ...error }) => ({
      ...error,
      field: field.replace(/^spec\.validation/, place),
    })),
    ...(version.additionalPrinterColumns ?? []).flatMap(({ jsonPath }, column) =>
      pathErrors(jsonPath, `${path}.additionalPrinterColumns[${column}].jsonPath`),
    ),
  ];
};

const pathErrors = (path: string, field: string): FieldError[] => {
  try {
    compileJsonPath(path);
    return [];
  } catch (error) {
    return [invalid(field, path, error instanceof Error ? error.message : String(error))];
  }
};

const immutableErrors = ({ spec }: Definition, old: Definition): FieldError[] => {
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
};
