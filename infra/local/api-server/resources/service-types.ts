import { type JsonMap, listAt } from '../objects/object.ts';

/** The types of Service that are reached through a port of every node. */
export const hasNodePorts = (spec: JsonMap): boolean =>
  spec.type === 'NodePort' || spec.type === 'LoadBalancer';

/** A Service that is reached from outside, by its type or by addresses of its own. */
export const isExternallyAccessible = (spec: JsonMap): boolean =>
  hasNodePorts(spec) || (spec.type === 'ClusterIP' && listAt(spec, 'externalIPs').length > 0);

/** A Service whose ports are given node ports. */
export const needsNodePorts = (spec: JsonMap): boolean =>
  spec.type === 'NodePort' ||
  (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false);

/** A load balancer that keeps to the node has to be told which nodes are well. */
export const needsHealthCheckPort = (spec: JsonMap): boolean =>
  spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
