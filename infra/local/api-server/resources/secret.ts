import type { FieldError } from '../errors/errors.ts';
import { canonicalBase64 } from '../objects/base64.ts';
import { DecodeError } from '../objects/decode-error.ts';
import { isSemanticallyEqual } from '../objects/equality.ts';
import { typeProblem } from '../objects/go-json.ts';
import { syntaxProblem } from '../objects/json-syntax.ts';
import { configKey, dnsSubdomain } from '../objects/names.ts';
import {
  ensureMap,
  isMap,
  type JsonMap,
  type KubeObject,
  mapAt,
  setDefault,
  textAt,
} from '../objects/object.ts';
import { put } from '../objects/own.ts';
import { forbidden, invalid, required, tooLong } from '../schema/field-error.ts';
import type { Strategy } from './strategy.ts';

export const secret: Strategy = {
  nameRule: dnsSubdomain,
  unconditionalUpdate: true,
  judgesAlone: true,
  selectableFields: (object) => ({ type: textAt(object, 'type') }),
  defaults: (object) => {
    setDefault(object, 'type', 'Opaque');
    decodeBytes(object, 'data');
    foldStringData(object);
  },
  validate: (object, old) => [
    ...(old ? immutableErrors(object, old) : []),
    ...keyErrors(object, 'data'),
    ...sizeErrors(sizesOfBytes(object, 'data'), 'data'),
    ...contentErrors(object),
  ],
};

/** What each type of Secret has to hold. */
const contentErrors = (object: KubeObject): FieldError[] => {
  const data = mapAt(object, 'data');
  const missing = (keys: readonly string[]): FieldError[] =>
    keys.filter((key) => data[key] === undefined).map((key) => required(`data[${key}]`));
  switch (object.type) {
    case 'kubernetes.io/dockercfg':
      return jsonErrors(data, '.dockercfg');
    case 'kubernetes.io/dockerconfigjson':
      return jsonErrors(data, '.dockerconfigjson');
    case 'kubernetes.io/tls':
      return missing(['tls.crt', 'tls.key']);
    case 'kubernetes.io/ssh-auth':
      return data['ssh-privatekey'] ? [] : [required('data[ssh-privatekey]')];
    case 'kubernetes.io/basic-auth': {
      const absent = missing(['username', 'password']);
      return absent.length === 2 ? absent : [];
    }
    case 'kubernetes.io/service-account-token': {
      const account = 'kubernetes.io/service-account.name';
      return object.metadata.annotations?.[account]
        ? []
        : [required(`metadata.annotations[${account}]`)];
    }
    default:
      return [];
  }
};

/** A text of JSON that holds an object; what is wrong with it, in Go's words. */
const jsonErrors = (data: JsonMap, key: string): FieldError[] => {
  const value = data[key];
  if (typeof value !== 'string') return [required(`data[${key}]`)];
  const why = jsonProblem(Buffer.from(value, 'base64').toString());
  return why === undefined ? [] : [invalid(`data[${key}]`, '<secret contents redacted>', why)];
};

const jsonProblem = (text: string): string | undefined => {
  const problem = syntaxProblem(text);
  if (problem !== undefined) return problem;
  const value: unknown = JSON.parse(text);
  const fits = isMap(value) || value === null;
  return fits ? undefined : typeProblem(value, 'value of type map[string]interface {}');
};

/** `stringData` is a way to write `data`; it is never stored. */
const foldStringData = (object: KubeObject): void => {
  if (!isMap(object.stringData)) return;
  const data = ensureMap(object, 'data');
  for (const [key, value] of Object.entries(object.stringData)) {
    put(data, key, Buffer.from(String(value)).toString('base64'));
  }
  delete object.stringData;
};

/** Bytes are kept in canonical form, however they were written. */
export const decodeBytes = (object: KubeObject, field: string): void => {
  const data = mapAt(object, field);
  for (const [key, value] of Object.entries(data)) {
    if (value !== null && value !== undefined) put(data, key, bytesOf(value));
  }
};

const isByte = (one: unknown): boolean =>
  Number.isInteger(one) && Number(one) >= 0 && Number(one) < 256;

/** Bytes may be written as a list of numbers, too. */
const bytesOf = (value: unknown): string => {
  if (typeof value === 'string') return canonicalBase64(value);
  const isList = Array.isArray(value) && value.every(isByte);
  if (!isList) throw new DecodeError(typeProblem(value, 'value of type []uint8'));
  return Buffer.from(value).toString('base64');
};

export const keyErrors = (object: KubeObject, field: string): FieldError[] =>
  Object.keys(mapAt(object, field)).flatMap((key) =>
    configKey(key).map((why) => invalid(`${field}[${key}]`, key, why)),
  );

const MOST_BYTES = 1024 * 1024;

/** The field of data that is too long; the two of a ConfigMap together have none. */
export const sizeErrors = (sizes: readonly number[], field: string): FieldError[] =>
  sizes.reduce((sum, size) => sum + size, 0) > MOST_BYTES ? [tooLong(field, MOST_BYTES)] : [];

/** The bytes of each value of a map of bytes. */
export const sizesOfBytes = (object: KubeObject, field: string): number[] =>
  Object.values(mapAt(object, field)).map((value) => Buffer.byteLength(String(value), 'base64'));

const immutableErrors = (object: KubeObject, old: KubeObject): FieldError[] => [
  ...(object.type === old.type ? [] : [invalid('type', object.type, 'field is immutable')]),
  ...frozenErrors(object, old, ['data']),
];

/** What `immutable: true` forbids. */
export const frozenErrors = (
  object: KubeObject,
  old: KubeObject,
  fields: readonly string[],
): FieldError[] => {
  if (old.immutable !== true) return [];
  return [
    ...(object.immutable === true
      ? []
      : [forbidden('immutable', 'field is immutable when `immutable` is set')]),
    ...fields
      .filter((field) => !isSemanticallyEqual(object[field], old[field]))
      .map((field) => forbidden(field, 'field is immutable when `immutable` is set')),
  ];
};
