import {
  ensureObject,
  type JsonObject,
  objectAt,
  objectsAt,
  setDefault,
  textAt,
} from '../../json/value.ts';
import { dnsLabel } from '../../objects/names.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { Strategy } from '../../resources/strategy.ts';
import type { KindEntry } from '../kind.ts';
import { allocate } from './allocation.ts';
import { servicePrinter } from './printer.ts';
import { isExternallyAccessible } from './types.ts';
import { serviceErrors } from './validation.ts';

const service: Strategy = {
  nameRule: dnsLabel,
  allowUnconditionalUpdate: true,
  returnDeletedObject: true,
  allowCreateOnUpdate: true,
  replacesSchemaValidation: true,
  selectableFields: ({ spec }) => ({
    'spec.clusterIP': textAt(spec as JsonObject, 'clusterIP'),
    'spec.type': textAt(spec as JsonObject, 'type'),
  }),
  defaults: (object) => defaultSpec(object),
  prepareForCreate: (object, context) => {
    allocate(object, context);
  },
  prepareForUpdate: (object, old, context) => {
    allocate(object, context, old);
  },
  validate: serviceErrors,
};

function defaultSpec(object: KubeObject): void {
  const spec = objectAt(object, 'spec');
  if (object.spec === undefined) object.spec = spec;
  setDefault(spec, 'sessionAffinity', 'None');
  setDefault(spec, 'type', 'ClusterIP');
  if (spec.sessionAffinity === 'None') delete spec.sessionAffinityConfig;
  if (spec.sessionAffinity === 'ClientIP') {
    const client = ensureObject(ensureObject(spec, 'sessionAffinityConfig'), 'clientIP');
    setDefault(client, 'timeoutSeconds', 10_800);
  }
  for (const port of objectsAt(spec, 'ports')) {
    setDefault(port, 'protocol', 'TCP');
    port.targetPort ||= port.port;
  }
  if (isExternallyAccessible(spec)) setDefault(spec, 'externalTrafficPolicy', 'Cluster');
  if (spec.type === 'LoadBalancer') setDefault(spec, 'allocateLoadBalancerNodePorts', true);
  if (spec.type !== 'ExternalName') setDefault(spec, 'internalTrafficPolicy', 'Cluster');
}

export const serviceKind: KindEntry = {
  group: '',
  kind: 'Service',
  strategy: service,
  printer: servicePrinter,
  fields: ['spec.clusterIP', 'spec.type'],
};
