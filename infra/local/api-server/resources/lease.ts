import { dnsSubdomain } from '../objects/names.ts';
import type { Strategy } from './strategy.ts';

/** Leases carry their own lock, and PUT creates what is missing. */
export const lease: Strategy = {
  nameRule: dnsSubdomain,
  unconditionalUpdate: false,
  createOnUpdate: true,
};
