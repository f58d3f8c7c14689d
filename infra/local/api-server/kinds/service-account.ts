import { dnsSubdomain } from '../objects/names.ts';
import { agePrinter } from '../printing/printer.ts';
import type { Strategy } from '../resources/strategy.ts';
import type { KindEntry } from './kind.ts';

const serviceAccount: Strategy = {
  nameRule: dnsSubdomain,
  allowUnconditionalUpdate: true,
  returnDeletedObject: true,
};

export const serviceAccountKind: KindEntry = {
  group: '',
  kind: 'ServiceAccount',
  strategy: serviceAccount,
  printer: agePrinter,
};
