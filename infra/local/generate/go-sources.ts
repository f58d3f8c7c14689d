import type { MessageField } from '../api-server/protobuf/message-table.ts';

interface ProtoField {
  readonly number: number;
  readonly name: string;
  readonly type: string;
  readonly repeated: boolean;
}

const messagePattern = /^message (\w+) \{\n([\s\S]*?)^\}/gm;
const fieldPattern = /^ {2}(optional|repeated)? ?(map<[^>]+>|[\w.]+) (\w+) = (\d+)/gm;

/** Parses the messages of a generated.proto; their types have full names. */
function protoMessages(source: string): Map<string, ProtoField[]> {
  const scope = /^package ([\w.]+);/m.exec(source)?.[1] ?? '';
  const full = (type: string): string => {
    const map = /^map<string, (.+)>$/.exec(type);
    if (map) return `map<${full(map[1] ?? '')}>`;
    if (scalarTypes.has(type)) return type;
    return type.includes('.') ? type.replace(/^\./, '') : `${scope}.${type}`;
  };
  return new Map(
    [...source.matchAll(messagePattern)].map(([, name = '', body = '']) => [
      `${scope}.${name}`,
      [...body.matchAll(fieldPattern)].map(([, label, type = '', field = '', number = '']) => ({
        number: Number(number),
        name: field,
        type: full(type),
        repeated: label === 'repeated',
      })),
    ]),
  );
}

const scalarTypes = new Set([
  'string',
  'bool',
  'int32',
  'int64',
  'uint32',
  'uint64',
  'double',
  'bytes',
]);

const structPattern = /^type (\w+) struct \{\n([\s\S]*?)^\}/gm;
const taggedPattern =
  /^\t(?:\w+ )?(\*?)[\w.*[\]{}]+\s*`json:"([^"]*)"(?: \w+:"[^"]*")* protobuf:"\w+,(\d+),/gm;

/** Parses the details that only Go structs have: JSON names, pointers, inlining; by `Struct.number`. */
function goFields(source: string): Map<string, { name: string; flags: string }> {
  const found = new Map<string, { name: string; flags: string }>();
  for (const [, struct = '', body = ''] of source.matchAll(structPattern)) {
    const aligned = body.replace(/(\w)[ \t]{2,}/g, '$1 ');
    for (const [, pointer = '', json = '', number = ''] of aligned.matchAll(taggedPattern)) {
      const [name = '', ...options] = json.split(',');
      const inline = options.includes('inline') ? 'i' : '';
      const omit = options.includes('omitempty') || options.includes('omitzero') ? 'o' : '';
      found.set(`${struct}.${number}`, { name, flags: `${inline}${pointer ? 'p' : ''}${omit}` });
    }
  }
  return found;
}

/** Returns the messages of one API package, from its generated.proto and its types.go. */
export function messagesOf(proto: string, go: string): Map<string, MessageField[]> {
  const details = goFields(go);
  return new Map(
    [...protoMessages(proto)].map(([message, fields]) => [
      message,
      fields.map(({ number, name, type, repeated }): MessageField => {
        const detail = details.get(`${message.split('.').at(-1)}.${number}`);
        return [number, detail?.name || name, type, `${repeated ? 'r' : ''}${detail?.flags ?? ''}`];
      }),
    ]),
  );
}
