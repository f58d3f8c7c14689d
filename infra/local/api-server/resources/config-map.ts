import { dnsSubdomain } from '../objects/names.ts';
import { mapAt } from '../objects/object.ts';
import { invalid } from '../schema/field-error.ts';
import { decodeBytes, frozenErrors, keyErrors, sizeErrors, sizesOfBytes } from './secret.ts';
import type { Strategy } from './strategy.ts';

export const configMap: Strategy = {
  nameRule: dnsSubdomain,
  unconditionalUpdate: true,
  judgesAlone: true,
  defaults: (object) => decodeBytes(object, 'binaryData'),
  validate: (object, old) => [
    ...keyErrors(object, 'data'),
    ...keyErrors(object, 'binaryData'),
    ...Object.keys(mapAt(object, 'data'))
      .filter((key) => Object.hasOwn(mapAt(object, 'binaryData'), key))
      .map((key) => invalid(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    ...sizeErrors(
      [
        ...Object.values(mapAt(object, 'data')).map((text) => Buffer.byteLength(String(text))),
        ...sizesOfBytes(object, 'binaryData'),
      ],
      '[]',
    ),
    ...(old ? frozenErrors(object, old, ['data', 'binaryData']) : []),
  ],
};
