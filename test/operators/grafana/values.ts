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

interface WithValues {
  readonly valuesFrom: ValuesFrom;
}

const namesOf = (values: ValuesFrom, from: 'secretKeyRef' | 'configMapKeyRef') => [
  ...new Set(values.flatMap(({ valueFrom }) => valueFrom[from]?.name ?? [])),
];

/** The objects that values are in, for `reads`. */
export const sources = {
  secrets: {
    type: secret,
    names: ({ spec }: { readonly spec: WithValues }) => namesOf(spec.valuesFrom, 'secretKeyRef'),
  },
  configMaps: {
    type: configMap,
    names: ({ spec }: { readonly spec: WithValues }) => namesOf(spec.valuesFrom, 'configMapKeyRef'),
  },
};

export const refuseValues = ({ valuesFrom }: WithValues): string | undefined =>
  valuesFrom.every(({ valueFrom }) => !valueFrom.secretKeyRef !== !valueFrom.configMapKeyRef)
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

/** Encloses the place of a value, as no text of a spec does. */
const [open, close] = ['\uE000', '\uE001'];

interface File extends WithValues {
  readonly read: Read;
  /** True if a value becomes the whole field. Otherwise it stands for the text `${KEY}` in it. */
  readonly replaces?: true;
  /** Puts the object into the form of the file. */
  readonly around: (object: unknown) => object;
}

/** A provisioning file of Grafana, in JSON, with an object whose fields hold the values at their places. */
export function fileWith(object: object, { valuesFrom, read, replaces, around }: File): Template {
  const fill = (filled: string, path: string): string =>
    valuesFrom.reduce((text, { targetPath, valueFrom }, index) => {
      const { secretKeyRef: ref, configMapKeyRef: other } = valueFrom;
      if (targetPath !== path) return text;
      if (ref !== undefined) return text.replaceAll(placeOf(ref.key), `${open}${index}${close}`);
      return other === undefined
        ? text
        : text.replaceAll(placeOf(other.key), valueIn(read, other) ?? '');
    }, filled);
  const given = replaces ? valuesFrom.reduce(withPlace, object) : object;
  const filled = sorted(given, (text, path) => fill(text.replaceAll(/[\uE000\uE001]/g, ''), path));
  const [first = '', ...others] = textOf(around(filled)).split(open);
  return {
    parts: [
      first,
      ...others.flatMap((part) => {
        const [index = '', rest = ''] = part.split(close);
        const { name = '', key = '' } = valuesFrom[Number(index)]?.valueFrom.secretKeyRef ?? {};
        const source = read.secrets.find((one) => one?.name === name) ?? { name };
        return [secretValue(source, key, 'json'), rest];
      }),
    ],
  };
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

/** The text of a provisioning file. */
export const textOf = (content: object): string => JSON.stringify({ apiVersion: 1, ...content });

/** Sorts the fields, so that the file does not depend on their order, and changes strings by their paths. */
export function sorted(
  value: unknown,
  change: (text: string, path: string) => string = (text) => text,
  path = '',
): unknown {
  const at = (key: string | number) => (path === '' ? String(key) : `${path}.${key}`);
  if (Array.isArray(value)) return value.map((item, index) => sorted(item, change, at(index)));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(
      Object.entries(value)
        .toSorted()
        .map(([key, inner]) => [key, sorted(inner, change, at(key))]),
    );
  return typeof value === 'string' ? change(value, path) : value;
}
