import { ingressExposure, ingressFacts } from '../../exposure/ingress.ts';
import type { ChildType } from '../child-type.ts';
import type { IngressBody, NetworkPolicyBody } from './api-types.ts';

const version = { group: 'networking.k8s.io', version: 'v1' };

export const ingress: ChildType<IngressBody> = {
  ...version,
  kind: 'Ingress',
  plural: 'ingresses',
  facts: ingressFacts,
  exposure: ingressExposure,
};

export const networkPolicy: ChildType<NetworkPolicyBody> = {
  ...version,
  kind: 'NetworkPolicy',
  plural: 'networkpolicies',
};
