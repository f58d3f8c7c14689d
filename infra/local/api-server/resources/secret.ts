import type { FieldError } from '../errors/errors.ts';
import { DecodeError } from '../objects/decode-error.ts';
import { isSemanticallyEqual } from '../objects/equality.ts';
import { dnsSubdomain } from '../objects/names.ts';
import { ensureMap, isMap, type KubeObject, mapAt, setDefault, textAt } from '../objects/object.ts';
import { forbidden, invalid } from '../schema/field-error.ts';
import type { Strategy } from './strategy.ts';

export const secret: Strategy = {
  nameRule: dnsSubdomain,
  unconditionalUpdate: true,
  selectableFields: (object) => ({ type: textAt(object, 'type') }),
  defaults: (object) => {
    setDefault(object, 'type', 'Opaque');
    assertBase64(object);
    foldStringData(object);
  },
  validate: (object, old) => [
    ...keyErrors(object, 'data'),
    ...(old ? immutableErrors(object, old) : []),
  ],
};

/** `stringData` is a way to write `data`; it is never stored. */
const foldStringData = (object: KubeObject): void => {
  if (!isMap(object.stringData)) return;
  const data = ensureMap(object, 'data');
  for (const [key, value] of Object.entries(object.stringData)) {
    data[key] = Buffer.from(String(value)).toString('base64');
  }
  delete object.stringData;
};

/** Reads as Go does: tells the first byte that cannot stand where it does. */
const assertBase64 = (object: KubeObject): void => {
  for (const value of Object.values(mapAt(object, 'data'))) {
    if (typeof value !== 'string' || BASE64.test(value)) continue;
    const wrong = value.search(/[^A-Za-z0-9+/]/);
    throw new DecodeError(`illegal base64 data at input byte ${wrong < 0 ? value.length : wrong}`);
  }
};

const KEY = /^[-._a-zA-Z0-9]+$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export const keyErrors = (object: KubeObject, field: string): FieldError[] =>
  Object.keys(mapAt(object, field))
    .filter((key) => !KEY.test(key) || key.length > 253)
    .map((key) =>
      invalid(
        `${field}[${key}]`,
        key,
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
      ),
    );

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
