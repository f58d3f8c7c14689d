import { dnsLabel } from '../objects/names.ts';
import {
  ensureMap,
  type JsonMap,
  type KubeObject,
  mapAt,
  mapsAt,
  setDefault,
  textAt,
} from '../objects/object.ts';
import { allocate } from './service-allocation.ts';
import { isExternallyAccessible } from './service-types.ts';
import { serviceErrors } from './service-validation.ts';
import type { Strategy } from './strategy.ts';

export const service: Strategy = {
  nameRule: dnsLabel,
  unconditionalUpdate: true,
  returnsDeleted: true,
  createOnUpdate: true,
  judgesAlone: true,
  selectableFields: ({ spec }) => ({
    'spec.clusterIP': textAt(spec as JsonMap, 'clusterIP'),
    'spec.type': textAt(spec as JsonMap, 'type'),
  }),
  defaults: (object) => defaultSpec(object),
  prepareCreate: (object, context) => {
    object.status = { loadBalancer: {} };
    allocate(object, context);
  },
  prepareUpdate: (object, old, context) => {
    allocate(object, context, old);
  },
  validate: serviceErrors,
};

const defaultSpec = (object: KubeObject): void => {
  const spec = mapAt(object, 'spec');
  if (object.spec === undefined) object.spec = spec;
  setDefault(spec, 'sessionAffinity', 'None');
  setDefault(spec, 'type', 'ClusterIP');
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === 'ClientIP') {
    const client = ensureMap(ensureMap(spec, 'sessionAffinityConfig'), 'clientIP');
    setDefault(client, 'timeoutSeconds', 10_800);
  }
  for (const port of mapsAt(spec, 'ports')) {
    setDefault(port, 'protocol', 'TCP');
    port.targetPort ||= port.port;
  }
  if (isExternallyAccessible(spec)) setDefault(spec, 'externalTrafficPolicy', 'Cluster');
  if (spec.type === 'LoadBalancer') setDefault(spec, 'allocateLoadBalancerNodePorts', true);
  if (spec.type !== 'ExternalName') setDefault(spec, 'internalTrafficPolicy', 'Cluster');
};
