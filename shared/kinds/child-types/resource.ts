import type { ChildType } from '../child-type.ts';
import type { ResourceClaimBody, ResourceClaimTemplateBody } from './api-types.ts';

const version = { group: 'resource.k8s.io', version: 'v1' };

const quantitiesOfDevices = (at: string): readonly string[] =>
  ['exactly', 'firstAvailable[]'].map(
    (request) => `${at}.devices.requests[].${request}.capacity.requests.`,
  );

export const resourceClaim: ChildType<ResourceClaimBody> = {
  ...version,
  kind: 'ResourceClaim',
  plural: 'resourceclaims',
  immutable: ['spec.'],
  quantities: quantitiesOfDevices('spec'),
};

export const resourceClaimTemplate: ChildType<ResourceClaimTemplateBody> = {
  ...version,
  kind: 'ResourceClaimTemplate',
  plural: 'resourceclaimtemplates',
  immutable: ['spec.'],
  quantities: quantitiesOfDevices('spec.spec'),
};
