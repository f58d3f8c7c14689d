import { objectAt } from '../../json/value.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { WriteContext } from '../../resources/strategy.ts';
import { allocateAddress, keepAddress } from './addresses.ts';
import { chooseFamilies } from './families.ts';
import { allocateNodePorts, keepNodePorts } from './node-ports.ts';
import { isTrafficPolicy } from './settings.ts';
import { dropForOtherType } from './type-change.ts';

/**
 * Allocates everything that a Service needs and does not request: cluster IP, families, node ports.
 *
 * Flow: keeps the values that an update omits; allocates families, address and node ports; releases values that the
 * Service no longer needs.
 * Guarantees: a request that cannot be satisfied is refused before any other validation. Allocated fields have no
 * owner.
 */
export function allocate(object: KubeObject, context: WriteContext, old?: KubeObject): void {
  keepAddress(object, old);
  if (old) keepNodePorts(object, old);
  chooseFamilies(object, old);
  allocateAddress(object, context, old);
  allocateNodePorts(object, context, old);
  const spec = objectAt(object, 'spec');
  // Has no effect for this type and is not shown.
  if (spec.type === 'ExternalName' && isTrafficPolicy(spec.internalTrafficPolicy)) {
    delete spec.internalTrafficPolicy;
  }
  if (old) dropForOtherType(spec, objectAt(old, 'spec'));
}
