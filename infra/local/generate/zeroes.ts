import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { MessageTable } from '../api-server/protobuf/message-table.ts';

/** Derives from the table of messages which zero values Go structs omit, and which they add. */
const table = JSON.parse(
  readFileSync(join(import.meta.dirname, '../api-server/generated/messages.json'), 'utf8'),
) as MessageTable;
const { definitions } = JSON.parse(
  readFileSync(join(import.meta.dirname, '../api-server/generated/schemas.json'), 'utf8'),
) as { readonly definitions: Readonly<Record<string, unknown>> };

const timeTypes = ['Time', 'MicroTime'].map(
  (type) => `k8s.io.apimachinery.pkg.apis.meta.v1.${type}`,
);

const scalars = new Set(['string', 'bool', 'int32', 'int64', 'double']);

const isMap = (type: string): boolean => type.startsWith('map<');

const lines = Object.entries(table.messages).flatMap(([message, fields]) => {
  const name = message.replace(/^k8s\.io\./, 'io.k8s.').replaceAll('_', '-');
  if (!(name in definitions)) return [];
  const plain = fields.filter(([, , type, flags]) => scalars.has(type) && !/[pri]/.test(flags));
  const lost = plain.filter(([, , , flags]) => flags === 'o').map(([, field]) => field);
  // A time is a struct, which `omitempty` never omits; metadata omits it by code of its own.
  const times = fields.filter(
    ([, , type, flags]) =>
      timeTypes.includes(type) && !/[pri]/.test(flags) && !message.endsWith('ObjectMeta'),
  );
  const added = [...plain.filter(([, , , flags]) => flags === ''), ...times].map(
    ([, field]) => field,
  );
  const nulls = fields
    .filter(([, , type, flags]) => /^[pr]$/.test(flags) || (flags === '' && isMap(type)))
    .map(([, field]) => field);
  return [`  ${JSON.stringify(name)}: ${JSON.stringify({ lost, added, nulls })}`];
});
writeFileSync(
  join(import.meta.dirname, '../api-server/generated/zeroes.json'),
  `{\n${lines.sort().join(',\n')}\n}\n`,
);
