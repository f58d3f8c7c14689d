import { readFileSync } from 'node:fs';
import type { JsonObject } from '../json/value.ts';
import type { MessageField, MessageTable } from './message-table.ts';
import { WireError, wireFields } from './wire.ts';

/** The magic number of a body in protobuf; a message `Unknown` follows. */
const magicPrefix = Buffer.from('k8s\0');

const metaPackage = 'k8s.io.apimachinery.pkg.apis.meta.v1';

/** Decodes a built-in object from protobuf, as client-go sends it, into JSON; undefined for an unknown kind. */
export type ProtobufReader = (body: Uint8Array) => JsonObject | undefined;

/** Creates a decoder whose table is loaded on first use, because many clients never send protobuf. */
export function createProtobufReader(): ProtobufReader {
  let table: MessageTable | undefined;
  return (body) => {
    table ??= JSON.parse(
      readFileSync(new URL('../generated/messages.json', import.meta.url), 'utf8'),
    ) as MessageTable;
    return decodeProtobuf(body, table);
  };
}

function decodeProtobuf(body: Uint8Array, table: MessageTable): JsonObject | undefined {
  if (!magicPrefix.equals(body.subarray(0, magicPrefix.length))) {
    throw new WireError('provided data does not appear to be a protobuf message');
  }
  let apiVersion = '';
  let kind = '';
  let raw: Uint8Array = new Uint8Array();
  for (const { number, value } of wireFields(body.subarray(magicPrefix.length))) {
    if (typeof value === 'bigint') continue;
    if (number === 1) {
      for (const field of wireFields(value)) {
        if (field.number === 1) apiVersion = text(field.value);
        if (field.number === 2) kind = text(field.value);
      }
    } else if (number === 2) raw = value;
  }
  const message = table.kinds[`${apiVersion}/${kind}`];
  if (message === undefined) return undefined;
  return { apiVersion, kind, ...decodeMessage(message, raw, table.messages) };
}

function text(value: bigint | Uint8Array): string {
  return typeof value === 'bigint' ? String(value) : Buffer.from(value).toString('utf8');
}

type Messages = MessageTable['messages'];

function decodeMessage(message: string, bytes: Uint8Array, messages: Messages): JsonObject {
  const fields = messages[message];
  if (fields === undefined) throw new WireError(`unknown message ${message}`);
  const byNumber = new Map(fields.map((field) => [field[0], field]));
  const object: JsonObject = {};
  for (const { number, value } of wireFields(bytes)) {
    const field = byNumber.get(number);
    if (field !== undefined) put(object, field, { value, messages });
  }
  return object;
}

interface Encoded {
  readonly value: bigint | Uint8Array;
  readonly messages: Messages;
}

function put(object: JsonObject, field: MessageField, { value, messages }: Encoded): void {
  const [, name, type, flags] = field;
  const map = /^map<(.+)>$/.exec(type);
  if (map) {
    const [key, item] = entry(map[1] ?? '', { value, messages });
    object[name] = { ...(object[name] as JsonObject | undefined), [key]: item };
    return;
  }
  const decoded = decodeValue(type, { value, messages });
  if (flags.includes('r')) {
    object[name] = [...((object[name] as unknown[] | undefined) ?? []), decoded];
  } else if (flags.includes('i')) Object.assign(object, decoded);
  else if (!isLeftOut(decoded, flags)) object[name] = decoded;
}

// Go sends every non-pointer field, but omits most zeros in JSON.
function isLeftOut(value: unknown, flags: string): boolean {
  return (
    value === null ||
    (!flags.includes('p') &&
      flags.includes('o') &&
      (value === '' || value === 0 || value === false))
  );
}

function entry(type: string, { value, messages }: Encoded): [string, unknown] {
  let key = '';
  let item: unknown = type === 'string' ? '' : {};
  for (const field of typeof value === 'bigint' ? [] : wireFields(value)) {
    if (field.number === 1) key = text(field.value);
    if (field.number === 2) item = decodeValue(type, { value: field.value, messages });
  }
  return [key, item];
}

function decodeValue(type: string, { value, messages }: Encoded): unknown {
  if (typeof value === 'bigint') return type === 'bool' ? value !== 0n : signed(value);
  switch (type) {
    case 'string':
      return text(value);
    case 'bytes':
      return Buffer.from(value).toString('base64');
    case 'double':
      return Buffer.from(value).readDoubleLE();
    case 'k8s.io.apimachinery.pkg.api.resource.Quantity':
      return decodeMessage(type, value, messages).string ?? '';
    case `${metaPackage}.Time`:
    case `${metaPackage}.MicroTime`:
      return time(value, type.endsWith('MicroTime'));
    case 'k8s.io.apimachinery.pkg.util.intstr.IntOrString':
      return intOrString(value);
    case 'k8s.io.apimachinery.pkg.runtime.RawExtension':
    case `${metaPackage}.FieldsV1`:
      return jsonIn(text(wireFields(value)[0]?.value ?? new Uint8Array()) || '{}');
    default:
      return decodeMessage(type, value, messages);
  }
}

function jsonIn(given: string): unknown {
  try {
    return JSON.parse(given);
  } catch {
    throw new WireError(`${JSON.stringify(given.slice(0, 30))} in a field of JSON is not JSON`);
  }
}

function signed(value: bigint): number {
  return Number(BigInt.asIntN(64, value));
}

function time(bytes: Uint8Array, micro: boolean): string | null {
  const fields = new Map(wireFields(bytes).map(({ number, value }) => [number, value]));
  const seconds = fields.get(1);
  if (typeof seconds !== 'bigint') return null;
  const nanos = fields.get(2);
  const date = new Date(signed(seconds) * 1000).toISOString().slice(0, 19);
  if (!micro) return `${date}Z`;
  const fraction = String(typeof nanos === 'bigint' ? nanos / 1000n : 0n).padStart(6, '0');
  return `${date}.${fraction}Z`;
}

function intOrString(bytes: Uint8Array): number | string {
  const fields = new Map(wireFields(bytes).map(({ number, value }) => [number, value]));
  if (fields.get(1) === 1n) return text(fields.get(3) ?? new Uint8Array());
  const value = fields.get(2);
  return typeof value === 'bigint' ? signed(value) : 0;
}
