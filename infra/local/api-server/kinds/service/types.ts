import { type JsonObject, listAt } from '../../json/value.ts';

/** The Service types that have node ports. */
export function hasNodePorts(spec: JsonObject): boolean {
  return spec.type === 'NodePort' || spec.type === 'LoadBalancer';
}

/** Reports whether a Service is reached from outside, by its type or by its own addresses. */
export function isExternallyAccessible(spec: JsonObject): boolean {
  return (
    hasNodePorts(spec) || (spec.type === 'ClusterIP' && listAt(spec, 'externalIPs').length > 0)
  );
}

/** Reports whether the ports of a Service get node ports. */
export function needsNodePorts(spec: JsonObject): boolean {
  return (
    spec.type === 'NodePort' ||
    (spec.type === 'LoadBalancer' && spec.allocateLoadBalancerNodePorts !== false)
  );
}

/** Reports whether a load balancer with a local traffic policy needs a node port for health checks. */
export function needsHealthCheckPort(spec: JsonObject): boolean {
  return spec.type === 'LoadBalancer' && spec.externalTrafficPolicy === 'Local';
}
