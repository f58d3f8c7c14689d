import { type JsonObject, listAt } from '../../json/value.ts';

/** The types of Service that are reached through a port of every node. */
export function hasNodePorts(spec: JsonObject): boolean {
  return spec.type === 'NodePort' || spec.type === 'LoadBalancer';
}

/** A Service that is reached from outside, by its type or by addresses of its own. */
export function isExternallyAccessible(spec: JsonObject): boolean {
  return (
    hasNodePorts(spec) || (spec.type === 'ClusterIP' && listAt(spec, 'externalIPs').length > 0)
  );
}

/** A Service whose ports are given node ports. */
export function needsNodePorts(spec: JsonObject): boolean {
  return (
    spec.type === 'NodePort' ||
    (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false)
  );
}

/** A load balancer that keeps to the node checks the health of each node on a port. */
export function needsHealthCheckPort(spec: JsonObject): boolean {
  return spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}
