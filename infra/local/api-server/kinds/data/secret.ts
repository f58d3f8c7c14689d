import { DecodeError } from '../../errors/decode-error.ts';
import type { FieldError } from '../../errors/field-error.ts';
import { forbidden, invalid, required, tooLong } from '../../errors/field-error.ts';
import { typeProblem } from '../../go/print.ts';
import { put } from '../../json/own.ts';
import { syntaxProblem } from '../../json/syntax.ts';
import {
  ensureObject,
  isObject,
  type JsonObject,
  objectAt,
  setDefault,
  textAt,
} from '../../json/value.ts';
import { canonicalBase64 } from '../../objects/base64.ts';
import { isSemanticallyEqual } from '../../objects/equality.ts';
import { configKey, dnsSubdomain } from '../../objects/names.ts';
import type { KubeObject } from '../../objects/object.ts';
import { ageCell, cell, printer } from '../../printing/printer.ts';
import type { Strategy } from '../../resources/strategy.ts';
import type { KindEntry } from '../kind.ts';

const secret: Strategy = {
  nameRule: dnsSubdomain,
  allowUnconditionalUpdate: true,
  replacesSchemaValidation: true,
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

/** The required contents of each type of Secret. */
function contentErrors(object: KubeObject): FieldError[] {
  const data = objectAt(object, 'data');
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
}

/** Checks that a text is a JSON object; returns Go's error otherwise. */
function jsonErrors(data: JsonObject, key: string): FieldError[] {
  const value = data[key];
  if (typeof value !== 'string') return [required(`data[${key}]`)];
  const why = jsonProblem(Buffer.from(value, 'base64').toString());
  return why === undefined ? [] : [invalid(`data[${key}]`, '<secret contents redacted>', why)];
}

function jsonProblem(text: string): string | undefined {
  const problem = syntaxProblem(text);
  if (problem !== undefined) return problem;
  const value: unknown = JSON.parse(text);
  const fits = isObject(value) || value === null;
  return fits ? undefined : typeProblem(value, 'value of type map[string]interface {}');
}

/** Moves `stringData` into `data`; it is never stored. */
function foldStringData(object: KubeObject): void {
  if (!isObject(object.stringData)) return;
  const data = ensureObject(object, 'data');
  for (const [key, value] of Object.entries(object.stringData)) {
    put(data, key, Buffer.from(String(value)).toString('base64'));
  }
  delete object.stringData;
}

/** Stores bytes in canonical base64, however they were written. */
export function decodeBytes(object: KubeObject, field: string): void {
  const data = objectAt(object, field);
  for (const [key, value] of Object.entries(data)) {
    if (value !== null && value !== undefined) put(data, key, bytesOf(value));
  }
}

function isByte(one: unknown): boolean {
  return Number.isInteger(one) && Number(one) >= 0 && Number(one) < 256;
}

/** Bytes may also be written as a list of numbers. */
function bytesOf(value: unknown): string {
  if (typeof value === 'string') return canonicalBase64(value);
  const isList = Array.isArray(value) && value.every(isByte);
  if (!isList) throw new DecodeError(typeProblem(value, 'value of type []uint8'));
  return Buffer.from(value).toString('base64');
}

export function keyErrors(object: KubeObject, field: string): FieldError[] {
  return Object.keys(objectAt(object, field)).flatMap((key) =>
    configKey(key).map((why) => invalid(`${field}[${key}]`, key, why)),
  );
}

const maxBytes = 1024 * 1024;

/**
 * Reports data that is too large. `data` and `binaryData` of a ConfigMap are measured together, and the error
 * names no field.
 */
export function sizeErrors(sizes: readonly number[], field: string): FieldError[] {
  return sizes.reduce((sum, size) => sum + size, 0) > maxBytes ? [tooLong(field, maxBytes)] : [];
}

/** Returns the number of bytes of each value in a map of bytes. */
export function sizesOfBytes(object: KubeObject, field: string): number[] {
  return Object.values(objectAt(object, field)).map((value) =>
    Buffer.byteLength(String(value), 'base64'),
  );
}

function immutableErrors(object: KubeObject, old: KubeObject): FieldError[] {
  return [
    ...(object.type === old.type ? [] : [invalid('type', object.type, 'field is immutable')]),
    ...frozenErrors(object, old, ['data']),
  ];
}

/** What `immutable: true` forbids. */
export function frozenErrors(
  object: KubeObject,
  old: KubeObject,
  fields: readonly string[],
): FieldError[] {
  if (old.immutable !== true) return [];
  return [
    ...(object.immutable === true
      ? []
      : [forbidden('immutable', 'field is immutable when `immutable` is set')]),
    ...fields
      .filter((field) => !isSemanticallyEqual(object[field], old[field]))
      .map((field) => forbidden(field, 'field is immutable when `immutable` is set')),
  ];
}

const secretPrinter = printer([
  cell('Type', (object) => textAt(object, 'type')),
  cell('Data', (object) => Object.keys(objectAt(object, 'data')).length),
  ageCell,
]);

export const secretKind: KindEntry = {
  group: '',
  kind: 'Secret',
  strategy: secret,
  printer: secretPrinter,
  fields: ['type'],
};
