import { invalid } from '../../errors/field-error.ts';
import { objectAt } from '../../json/value.ts';
import { dnsSubdomain } from '../../objects/names.ts';
import { ageCell, cell, printer } from '../../printing/printer.ts';
import type { Strategy } from '../../resources/strategy.ts';
import type { KindEntry } from '../kind.ts';
import { decodeBytes, frozenErrors, keyErrors, sizeErrors, sizesOfBytes } from './secret.ts';

const configMap: Strategy = {
  nameRule: dnsSubdomain,
  allowUnconditionalUpdate: true,
  replacesSchemaValidation: true,
  defaults: (object) => decodeBytes(object, 'binaryData'),
  validate: (object, old) => [
    ...keyErrors(object, 'data'),
    ...keyErrors(object, 'binaryData'),
    ...Object.keys(objectAt(object, 'data'))
      .filter((key) => Object.hasOwn(objectAt(object, 'binaryData'), key))
      .map((key) => invalid(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    ...sizeErrors(
      [
        ...Object.values(objectAt(object, 'data')).map((text) => Buffer.byteLength(String(text))),
        ...sizesOfBytes(object, 'binaryData'),
      ],
      '[]',
    ),
    ...(old ? frozenErrors(object, old, ['data', 'binaryData']) : []),
  ],
};

const configMapPrinter = printer([
  cell(
    'Data',
    (object) =>
      Object.keys(objectAt(object, 'data')).length +
      Object.keys(objectAt(object, 'binaryData')).length,
  ),
  ageCell,
]);

export const configMapKind: KindEntry = {
  group: '',
  kind: 'ConfigMap',
  strategy: configMap,
  printer: configMapPrinter,
};
