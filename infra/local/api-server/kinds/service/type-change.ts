import { type JsonObject, objectsAt } from '../../json/value.ts';
import { hasNodePorts, isExternallyAccessible, needsHealthCheckPort } from './types.ts';

/**
 * Removes fields of the old type that the new type does not need. Keeps a field that was changed together
 * with the type, so that validation refuses it.
 */
export function dropForOtherType(spec: JsonObject, before: JsonObject): void {
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
    for (const port of objectsAt(spec, 'ports')) delete port.nodePort;
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
}

function dropSame(spec: JsonObject, before: JsonObject, fields: readonly string[]): void {
  for (const field of fields) {
    if (JSON.stringify(spec[field]) === JSON.stringify(before[field])) delete spec[field];
  }
}

function hasNoNewNodePorts(spec: JsonObject, before: JsonObject): boolean {
  const held = new Set(objectsAt(before, 'ports').map((port) => port.nodePort));
  return objectsAt(spec, 'ports').every(({ nodePort }) => !nodePort || held.has(nodePort));
}
