import { type JsonMap, listAt, mapAt, mapsAt, textAt } from '../objects/object.ts';
import { ageOf } from './duration.ts';
import { ageCell, type Cell, cell, createdAtCell, printer } from './printer.ts';

const count = (object: JsonMap, ...fields: string[]): number =>
  fields.reduce((sum, field) => sum + Object.keys(mapAt(object, field)).length, 0);

export const namespacePrinter = printer([
  cell('Status', (object) => textAt(mapAt(object, 'status'), 'phase')),
  ageCell,
]);

export const secretPrinter = printer([
  cell('Type', (object) => textAt(object, 'type')),
  cell('Data', (object) => count(object, 'data'), { type: 'integer' }),
  ageCell,
]);

export const configMapPrinter = printer([
  cell('Data', (object) => count(object, 'data', 'binaryData'), { type: 'integer' }),
  ageCell,
]);

export const leasePrinter = printer([
  cell('Holder', (object) => textAt(mapAt(object, 'spec'), 'holderIdentity')),
  ageCell,
]);

export const rolePrinter = printer([createdAtCell]);
export const definitionPrinter = printer([createdAtCell]);

const subjects = (kind: string) => (object: JsonMap) =>
  mapsAt(object, 'subjects')
    .filter((subject) => subject.kind === kind)
    .map(({ namespace, name }) => (namespace ? `${namespace}/${name}` : String(name)))
    .join(', ');

export const bindingPrinter = printer([
  cell('Role', (object) => {
    const { kind, name } = mapAt(object, 'roleRef');
    return `${kind}/${name}`;
  }),
  ageCell,
  cell('Users', subjects('User'), { wide: true }),
  cell('Groups', subjects('Group'), { wide: true }),
  cell('ServiceAccounts', subjects('ServiceAccount'), { wide: true }),
]);

export const claimPrinter = printer([
  cell('Status', (object) => textAt(mapAt(object, 'status'), 'phase')),
  cell('Volume', (object) => textAt(mapAt(object, 'spec'), 'volumeName')),
  cell('Capacity', (object) => textAt(mapAt(mapAt(object, 'status'), 'capacity'), 'storage')),
  cell('Access Modes', (object) => listAt(mapAt(object, 'status'), 'accessModes').join(',')),
  cell('StorageClass', (object) => textAt(mapAt(object, 'spec'), 'storageClassName')),
  cell('VolumeAttributesClass', () => '<unset>'),
  ageCell,
  cell('VolumeMode', (object) => textAt(mapAt(object, 'spec'), 'volumeMode'), { wide: true }),
]);

/** Events of either API; `about` is the field that names the object. */
const eventCells = (fields: {
  readonly about: string;
  readonly text: string;
  readonly last: string;
}): readonly Cell[] => [
  cell('Last Seen', (object, now) =>
    ageOf(
      object[fields.last] ?? object.eventTime ?? mapAt(object, 'metadata').creationTimestamp,
      now,
    ),
  ),
  cell('Type', (object) => textAt(object, 'type')),
  cell('Reason', (object) => textAt(object, 'reason')),
  cell('Object', (object) => {
    const { kind, name } = mapAt(object, fields.about);
    return `${String(kind ?? '').toLowerCase()}/${name ?? ''}`;
  }),
  cell('Message', (object) => textAt(object, fields.text).trim()),
];

// Listings of events do not begin with a name.
const withoutName = (cells: readonly Cell[]) => ({
  columns: cells.map(({ value: _, ...column }) => column),
  cells: (object: JsonMap, now: Date) => cells.map(({ value }) => value(object, now)),
});

export const coreEventPrinter = withoutName(
  eventCells({ about: 'involvedObject', text: 'message', last: 'lastTimestamp' }),
);
export const newEventPrinter = withoutName(
  eventCells({ about: 'regarding', text: 'note', last: 'deprecatedLastTimestamp' }),
);
