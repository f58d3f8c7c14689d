import type { ChildType } from '../child-type.ts';
import type { EndpointSliceBody } from './api-types.ts';

/** Of addresses outside the cluster: those of a Service with a selector are written by its controller. */
export const endpointSlice: ChildType<EndpointSliceBody> = {
  group: 'discovery.k8s.io',
  version: 'v1',
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  immutable: ['addressType'],
};
