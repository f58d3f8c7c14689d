import type { JsonMap } from '../objects/object.ts';

/** The types of Service that are reached through a port of every node. */
export const hasNodePorts = (spec: JsonMap): boolean =>
  spec.type === 'NodePort' || spec.type === 'LoadBalancer';
