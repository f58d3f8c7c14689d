import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtInTypes } from '../../../shared/kinds/child-types/built-in-types.ts';

/** Classes of the client library whose names are not composed of version and kind. */
const otherNames: Readonly<Record<string, string>> = { ResourceClaim: 'ResourceV1ResourceClaim' };

/** Child types that have metadata only. */
const withoutBody: readonly string[] = ['Namespace'];

/** Fields that are quantities, by class. The client library declares them as strings. */
const quantities: Readonly<Record<string, readonly string[]>> = {
  V1CapacityRequirements: ['requests'],
  V1EmptyDirVolumeSource: ['sizeLimit'],
  V1LimitRangeItem: ['_default', 'defaultRequest', 'max', 'maxLimitRequestRatio', 'min'],
  V1PodSpec: ['overhead'],
  V1ResourceFieldSelector: ['divisor'],
  V1ResourceQuotaSpec: ['hard'],
  V1ResourceRequirements: ['limits', 'requests'],
  V1VolumeResourceRequirements: ['limits', 'requests'],
  V2HPAScalingRules: ['tolerance'],
  V2MetricTarget: ['averageValue', 'value'],
};

/**
 * Fields that bodies must not have: fields that the engine or the server sets, and `stringData`. The server moves
 * `stringData` to `data`, so every run would find drift.
 */
const omitted: Readonly<Record<string, readonly string[]>> = {
  V1ObjectMeta: [
    'creationTimestamp',
    'deletionGracePeriodSeconds',
    'deletionTimestamp',
    'generateName',
    'generation',
    'managedFields',
    'ownerReferences',
    'resourceVersion',
    'selfLink',
    'uid',
  ],
  V1PersistentVolumeClaim: ['status'],
  V1Secret: ['stringData'],
};

/** Keys of list items. They become required, because the server refuses an item without them, or cannot match it. */
const required: Readonly<Record<string, readonly string[]>> = {
  V1ContainerPort: ['protocol'],
  V1ServicePort: ['protocol'],
};

interface Field {
  readonly name: string;
  readonly isOptional: boolean;
  readonly type: string;
}

/** Generates `shared/kinds/child-types/api-types.ts` from the declarations of the client library. */
export function bodyTypes(): string {
  const types = new Map<string, string>();
  const models = new Set<string>();
  const add = (name: string, fields: readonly Field[]): void => {
    const lines = fields.map((field) => lineOf({ ...field, type: renamed(field.type) }));
    if (types.has(name))
      throw new Error(
        `two models of @kubernetes/client-node would both become the type ${name}: let \`renamed\` in infra/generate/types/body-types.ts keep the version in the name of one of them`,
      );
    types.set(name, `export type ${name} = {\n${lines.join('')}};\n`);
  };
  const renamed = (type: string): string =>
    type.replaceAll(/\b[A-Za-z]*V\d[A-Za-z0-9]*\b/g, (model) => {
      const name = model.replace(/V\d+/, '');
      if (!models.has(model)) {
        models.add(model);
        add(name, fieldsOf(model));
      }
      return name;
    });
  for (const { kind, version } of builtInTypes)
    if (!withoutBody.includes(kind))
      add(`${kind}Body`, bodyFieldsOf(otherNames[kind] ?? `${version.toUpperCase()}${kind}`));
  const strings = [...types].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, text]) => text);
  return [header, ...strings].join('\n');
}

const header = [
  '/** Types of the bodies of Kubernetes objects. Written by `npm run generate:types`. */\n',
  "import type { Json } from '../../kubernetes.ts';\n",
  'type Quantity = string | number;\n',
].join('\n');

/** Formats a field as the linter does, 100 characters wide. */
function lineOf({ name, isOptional, type }: Field): string {
  if (!isOptional) return `  readonly ${name}: ${type};\n`;
  const line = `  readonly ${name}?: ${type} | undefined;\n`;
  return line.length <= 101 ? line : `  readonly ${name}?:\n    | ${type}\n    | undefined;\n`;
}

/** Makes `spec` required, because a body without it describes nothing. */
const bodyFieldsOf = (model: string): readonly Field[] =>
  fieldsOf(model)
    .filter(({ name }) => !['apiVersion', 'kind', 'metadata', 'status'].includes(name))
    .map((field) => (field.name === 'spec' ? { ...field, isOptional: false } : field));

const root = new URL('./gen/models/', import.meta.resolve('@kubernetes/client-node'));
const read = (file: string): string => readFileSync(fileURLToPath(new URL(file, root)), 'utf8');

function fieldsOf(model: string): readonly Field[] {
  const wireNames = new Map(
    Array.from(read(`${model}.js`).matchAll(/"name": "(\w+)",\s+"baseName": "(\w+)"/g), (found) => [
      found[1],
      found[2],
    ]),
  );
  const declared = read(`${model}.d.ts`).matchAll(/^ {4}'(\w+)'(\??): (\{[^}]*\}|[^;]+);$/gm);
  const special = new Set([quantities, required, omitted].flatMap((table) => table[model] ?? []));
  const fields = Array.from(declared, ([, name = '', modifier, type = '']): Field => {
    special.delete(name);
    const isQuantity = quantities[model]?.includes(name);
    return {
      name: wireNames.get(name) ?? name,
      isOptional: modifier === '?' && !required[model]?.includes(name),
      type: typeOf(isQuantity ? type.replace(/string(?=;|$)/, 'Quantity') : type),
    };
  });
  if (fields.length !== wireNames.size || special.size > 0)
    throw new Error(
      `the fields of ${model} have changed: update \`quantities\`, \`required\` and \`omitted\` in infra/generate/types/body-types.ts`,
    );
  return fields.filter(({ name }) => !omitted[model]?.includes(name));
}

function typeOf(declared: string): string {
  const list = /^Array<(.*)>$/.exec(declared)?.[1];
  if (list !== undefined) return `readonly ${typeOf(list)}[]`;
  const values = /^\{\s*\[key: string\]: ([^;]+);\s*\}$/.exec(declared)?.[1];
  if (values !== undefined) return `{ readonly [key: string]: ${typeOf(values)} }`;
  return scalars[declared] ?? declared;
}

const scalars: Readonly<Record<string, string>> = {
  any: 'Json',
  Date: 'string',
  IntOrString: 'number | string',
  V1MicroTime: 'string',
};

/** Writes the types. Run this script after an update of the client library, or to add a child type. */
if (import.meta.main) {
  const file = join(import.meta.dirname, '../../../shared/kinds/child-types/api-types.ts');
  writeFileSync(file, bodyTypes());
}
