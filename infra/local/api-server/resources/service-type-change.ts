import { type JsonMap, mapsAt } from '../objects/object.ts';
import { hasNodePorts, isExternallyAccessible, needsHealthCheckPort } from './service-types.ts';

/**
 * Takes out what a Service had for its old type and has no use for any more. What was changed
 * together with the type stays, to be refused.
 */
export const dropForOtherType = (spec: JsonMap, before: JsonMap): void => {
  if (before.type !== 'ExternalName' && spec.type === 'ExternalName') {
    dropSame(spec, before, [
      'clusterIP',
      'clusterIPs',
      'ipFamilies',
      'ipFamilyPolicy',
      'internalTrafficPolicy',
    ]);
  }
  if (hasNodePorts(before) && !hasNodePorts(spec) && hasNoNewNodePorts(spec, before)) {
    for (const port of mapsAt(spec, 'ports')) delete port.nodePort;
  }
  if (needsHealthCheckPort(before) && !needsHealthCheckPort(spec)) {
    dropSame(spec, before, ['healthCheckNodePort']);
  }
  if (before.type === 'LoadBalancer' && spec.type !== 'LoadBalancer') {
    dropSame(spec, before, ['allocateLoadBalancerNodePorts', 'loadBalancerClass']);
  }
  if (isExternallyAccessible(before) && !isExternallyAccessible(spec)) {
    dropSame(spec, before, ['externalTrafficPolicy']);
  }
};

const dropSame = (spec: JsonMap, before: JsonMap, fields: readonly string[]): void => {
  for (const field of fields) {
    if (JSON.stringify(spec[field]) === JSON.stringify(before[field])) delete spec[field];
  }
};

const hasNoNewNodePorts = (spec: JsonMap, before: JsonMap): boolean => {
  const held = new Set(mapsAt(before, 'ports').map((port) => port.nodePort));
  return mapsAt(spec, 'ports').every(({ nodePort }) => !nodePort || held.has(nodePort));
};
