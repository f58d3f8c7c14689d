import {
  configMap,
  type ReadObject,
  type Static,
  secret,
  secretValue,
  type Template,
  Type,
} from 'serverless-reconciler';
import { placeOf } from './content.ts';
import { list, key as ref } from './selecting.ts';

/** Values of Secrets and ConfigMaps, each for a field of the resource. */
export const valuesFrom = Type.Array(
  Type.Object({
    targetPath: Type.String({ pattern: '^[A-Za-z0-9_.-]+$', maxLength: 200 }),
    valueFrom: Type.Object({
      secretKeyRef: Type.Optional(ref),
      configMapKeyRef: Type.Optional(ref),
    }),
  }),
  list,
);

export type ValuesFrom = Static<typeof valuesFrom>;

const namesOf = (values: ValuesFrom, from: 'secretKeyRef' | 'configMapKeyRef') => [
  ...new Set(values.flatMap(({ valueFrom }) => valueFrom[from]?.name ?? [])),
];

/** The objects that the values of a spec are in, for `reads`. */
export const sourcesOf = <Spec>(valuesOf: (spec: Spec) => ValuesFrom) => ({
  secrets: {
    type: secret,
    names: ({ spec }: { readonly spec: Spec }) => namesOf(valuesOf(spec), 'secretKeyRef'),
  },
  configMaps: {
    type: configMap,
    names: ({ spec }: { readonly spec: Spec }) => namesOf(valuesOf(spec), 'configMapKeyRef'),
  },
});

export const refuseValues = (values: ValuesFrom): string | undefined =>
  values.every(({ valueFrom }) => !valueFrom.secretKeyRef !== !valueFrom.configMapKeyRef)
    ? undefined
    : 'set one of secretKeyRef and configMapKeyRef';

interface Read {
  readonly secrets: readonly (ReadObject<typeof secret> | undefined)[];
  readonly configMaps: readonly (ReadObject<typeof configMap> | undefined)[];
}

const valueIn = ({ configMaps }: Read, { name, key }: Static<typeof ref>): string | undefined =>
  configMaps.find((one) => one?.name === name)?.data?.[key];

/** Blocks a child while a ConfigMap lacks a value. A missing value of a Secret blocks it by itself. */
export function blockedBy(values: ValuesFrom, read: Read) {
  const lacking = values
    .flatMap(({ valueFrom }) => valueFrom.configMapKeyRef ?? [])
    .find((one) => valueIn(read, one) === undefined);
  const message = `ConfigMap ${lacking?.name} has no key ${lacking?.key}`;
  return lacking && { blocked: { reason: 'ValueMissing', message } };
}

type Parts = Template['parts'];

/** A text in which values of Secrets stand. */
class Filled {
  readonly parts: Parts;

  constructor(parts: Parts) {
    this.parts = parts;
  }
}

interface Filling {
  readonly valuesFrom: ValuesFrom;
  readonly read: Read;
  /** True if a value becomes the whole field. Otherwise it stands for the text `${KEY}` in it. */
  readonly replaces?: true;
}

/** Returns the object with the values in its fields. */
export function filled(object: object, { valuesFrom, read, replaces }: Filling): unknown {
  const fill = (text: string, path: string): string | Filled => {
    const matching = valuesFrom.filter(({ targetPath }) => targetPath === path);
    if (matching.length === 0) return text;
    let parts: Parts = [text];
    for (const { valueFrom } of matching) {
      const { secretKeyRef: secret, configMapKeyRef: other } = valueFrom;
      const one = secret ?? other;
      if (one === undefined) continue;
      const source = read.secrets.find((found) => found?.name === one.name) ?? { name: one.name };
      const value = secret ? secretValue(source, one.key, 'json') : (valueIn(read, one) ?? '');
      parts = parts.flatMap((part) =>
        typeof part === 'string'
          ? part
              .split(placeOf(one.key))
              .flatMap((piece, at) => (at === 0 ? [piece] : [value, piece]))
          : [part],
      );
    }
    return new Filled(parts);
  };
  return mapped(replaces ? valuesFrom.reduce(withPlace, object) : object, fill);
}

/** Sets a field to the text that a value replaces. */
function withPlace(object: object, { targetPath, valueFrom }: ValuesFrom[number]): object {
  const [first = '', ...rest] = targetPath.split('.');
  const inner = (object as Readonly<Record<string, unknown>>)[first];
  const within = typeof inner === 'object' && inner !== null ? inner : {};
  const { key } = valueFrom.secretKeyRef ?? valueFrom.configMapKeyRef ?? { key: '' };
  const place = placeOf(key);
  return {
    ...object,
    [first]:
      rest.length === 0 ? place : withPlace(within, { targetPath: rest.join('.'), valueFrom }),
  };
}

/** Changes the texts in a value by their paths. */
function mapped(
  value: unknown,
  change: (text: string, path: string) => unknown,
  path = '',
): unknown {
  const at = (key: string | number) => (path === '' ? String(key) : `${path}.${key}`);
  if (typeof value === 'string') return change(value, path);
  if (typeof value !== 'object' || value === null) return value;
  return Array.isArray(value)
    ? value.map((item, index) => mapped(item, change, at(index)))
    : Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, mapped(inner, change, at(key))]),
      );
}

/** A provisioning file of Grafana, in JSON. Its text does not depend on the order of fields. */
export const fileWith = (content: object): Template => ({
  parts: partsOf({ apiVersion: 1, ...content }),
});

/** The text of such a file without values of Secrets. */
export const textOf = (content: object): string => fileWith(content).parts.join('');

function partsOf(value: unknown): Parts {
  if (value instanceof Filled)
    return ['"', ...value.parts.map((part) => (typeof part === 'string' ? bare(part) : part)), '"'];
  if (Array.isArray(value)) return ['[', ...separated(value.map(partsOf)), ']'];
  if (typeof value !== 'object' || value === null) return [JSON.stringify(value)];
  const fields = Object.entries(value).filter(([, inner]) => inner !== undefined);
  const inner = fields
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, one]): Parts => [`${JSON.stringify(key)}:`, ...partsOf(one)]);
  return ['{', ...separated(inner), '}'];
}

const bare = (text: string): string => JSON.stringify(text).slice(1, -1);

const separated = (all: readonly Parts[]): Parts =>
  all.flatMap((parts, at) => (at === 0 ? parts : [',', ...parts]));
