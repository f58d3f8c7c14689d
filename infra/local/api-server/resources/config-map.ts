import { dnsSubdomain } from '../objects/names.ts';
import { mapAt } from '../objects/object.ts';
import { invalid } from '../schema/field-error.ts';
import { decodeBytes, frozenErrors, keyErrors } from './secret.ts';
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
      .filter((key) => key in mapAt(object, 'binaryData'))
      .map((key) => invalid(`data[${key}]`, key, 'duplicate of key present in binaryData')),
    ...(old ? frozenErrors(object, old, ['data', 'binaryData']) : []),
  ],
};
