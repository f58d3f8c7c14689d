import type { ChildType } from '../child-type.ts';
import type { ResourceClaimBody, ResourceClaimTemplateBody } from './api-types.ts';

const version = { group: 'resource.k8s.io', version: 'v1' };

export const resourceClaim: ChildType<ResourceClaimBody> = {
  ...version,
  kind: 'ResourceClaim',
  plural: 'resourceclaims',
};

export const resourceClaimTemplate: ChildType<ResourceClaimTemplateBody> = {
  ...version,
  kind: 'ResourceClaimTemplate',
  plural: 'resourceclaimtemplates',
};
