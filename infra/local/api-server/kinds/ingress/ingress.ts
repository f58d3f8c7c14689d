import { dnsSubdomain } from '../../objects/names.ts';
import type { Strategy } from '../../resources/strategy.ts';
import { specChanged } from '../../resources/strategy.ts';
import type { KindEntry } from '../kind.ts';
import { ingressPrinter } from './printer.ts';
import { ingressErrors } from './validation.ts';

const ingress: Strategy = {
  nameRule: dnsSubdomain,
  allowUnconditionalUpdate: true,
  replacesSchemaValidation: true,
  isNewGeneration: specChanged,
  validate: ingressErrors,
};

export const ingressKind: KindEntry = {
  group: 'networking.k8s.io',
  kind: 'Ingress',
  strategy: ingress,
  printer: ingressPrinter,
};
