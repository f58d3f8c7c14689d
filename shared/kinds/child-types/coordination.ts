import type { ChildType } from '../child-type.ts';
import type { LeaseBody } from './api-types.ts';

/** Caveats: the log sink leaves Leases out, as their holders renew them all the time: ticks repair them. */
export const lease: ChildType<LeaseBody> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
};
