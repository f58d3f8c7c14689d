import { dnsSubdomain } from '../objects/names.ts';
import { frozenErrors, keyErrors } from './secret.ts';
import type { Strategy } from './strategy.ts';

export const configMap: Strategy = {
  nameRule: dnsSubdomain,
  unconditionalUpdate: true,
  validate: (object, old) => [
    ...keyErrors(object, 'data'),
    ...keyErrors(object, 'binaryData'),
    ...(old ? frozenErrors(object, old, ['data', 'binaryData']) : []),
  ],
};
