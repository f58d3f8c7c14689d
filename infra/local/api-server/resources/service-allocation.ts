import { type KubeObject, mapAt } from '../objects/object.ts';
import { allocateAddress, keepAddress } from './service-addresses.ts';
import { chooseFamilies } from './service-families.ts';
import { allocateNodePorts, keepNodePorts } from './service-node-ports.ts';
import { isTrafficPolicy } from './service-settings.ts';
import { dropForOtherType } from './service-type-change.ts';
import type { WriteContext } from './strategy.ts';

/**
 * Gives a Service what it needs and does not name: a cluster IP, its families, node ports.
 *
 * Flow: what an update leaves out stays as it was; families, address, node ports; what the Service
 * has no use for any more goes.
 * Guarantees: what is wanted and cannot be had is refused here, before anything else is validated,
 * and nobody owns what is given.
 */
export const allocate = (object: KubeObject, context: WriteContext, old?: KubeObject): void => {
  keepAddress(object, old);
  if (old) keepNodePorts(object, old);
  chooseFamilies(object, old);
  allocateAddress(object, context, old);
  allocateNodePorts(object, context, old);
  const spec = mapAt(object, 'spec');
  // Meant for nothing there, and shown to nobody.
  if (spec.type === 'ExternalName' && isTrafficPolicy(spec.internalTrafficPolicy)) {
    delete spec.internalTrafficPolicy;
  }
  if (old) dropForOtherType(spec, mapAt(old, 'spec'));
};
