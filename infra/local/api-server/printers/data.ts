import { type JsonMap, listAt, mapAt, mapsAt, textAt } from '../objects/object.ts';
import { ageCell, cell, createdAtCell, printer } from './printer.ts';

const count = (object: JsonMap, ...fields: string[]): number =>
  fields.reduce((sum, field) => sum + Object.keys(mapAt(object, field)).length, 0);

export const namespacePrinter = printer([
  cell('Status', (object) => textAt(mapAt(object, 'status'), 'phase')),
  ageCell,
]);

export const secretPrinter = printer([
  cell('Type', (object) => textAt(object, 'type')),
  cell('Data', (object) => count(object, 'data')),
  ageCell,
]);

export const configMapPrinter = printer([
  cell('Data', (object) => count(object, 'data', 'binaryData')),
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
