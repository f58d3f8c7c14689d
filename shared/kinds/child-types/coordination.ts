import type { ChildType } from '../child-type.ts';
import type { LeaseBody } from './api-types.ts';

export const lease: ChildType<LeaseBody> = {
  group: 'coordination.k8s.io',
  version: 'v1',
  kind: 'Lease',
  plural: 'leases',
};
