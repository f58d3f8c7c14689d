import { objectAt } from '../../json/value.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { WriteContext } from '../../resources/strategy.ts';
import { allocateAddress, keepAddress } from './addresses.ts';
import { chooseFamilies } from './families.ts';
import { allocateNodePorts, keepNodePorts } from './node-ports.ts';
import { isTrafficPolicy } from './settings.ts';
import { dropForOtherType } from './type-change.ts';

/**
 * Gives a Service what it needs and does not name: a cluster IP, its families, node ports.
 *
 * Flow: what an update leaves out stays as it was; families, address, node ports; what the Service
 * has no use for any more goes.
 * Guarantees: a request that cannot be satisfied is refused here, before anything else is validated,
 * and allocated fields have no owner.
 */
export function allocate(object: KubeObject, context: WriteContext, old?: KubeObject): void {
  keepAddress(object, old);
  if (old) keepNodePorts(object, old);
  chooseFamilies(object, old);
  allocateAddress(object, context, old);
  allocateNodePorts(object, context, old);
  const spec = objectAt(object, 'spec');
  // Has no effect for that type and is not shown.
  if (spec.type === 'ExternalName' && isTrafficPolicy(spec.internalTrafficPolicy)) {
    delete spec.internalTrafficPolicy;
  }
  if (old) dropForOtherType(spec, objectAt(old, 'spec'));
}
