import { dnsSubdomain } from '../objects/names.ts';
import { specChanged } from './generations.ts';
import { ingressErrors } from './ingress-validation.ts';
import type { Strategy } from './strategy.ts';

export const ingress: Strategy = {
  nameRule: dnsSubdomain,
  unconditionalUpdate: true,
  judgesAlone: true,
  isNewGeneration: specChanged,
  prepareCreate: (object) => {
    object.status = { loadBalancer: {} };
  },
  validate: ingressErrors,
};
