import { invalidObject } from '../../errors/api-errors.ts';
import { invalid } from '../../errors/field-error.ts';
import { type JsonObject, listAt, objectAt, textAt } from '../../json/value.ts';
import type { KubeObject } from '../../objects/object.ts';
import type { WriteContext } from '../../resources/strategy.ts';
import { dryRunAddress, isClusterIp } from './allocator.ts';

/** Makes clusterIP and clusterIPs agree; if an update omits one, its value stays. */
export function keepAddress(object: KubeObject, old?: KubeObject): void {
  const spec = objectAt(object, 'spec');
  if (spec.clusterIP === '') delete spec.clusterIP;
  if (listAt(spec, 'clusterIPs').length === 0) delete spec.clusterIPs;
  if (old) keepOld(spec, objectAt(old, 'spec'));
  else if (spec.clusterIP) spec.clusterIPs ??= [spec.clusterIP];
}

function keepOld(spec: JsonObject, before: JsonObject): void {
  if (spec.type !== 'ExternalName' && before.type !== 'ExternalName') {
    if (before.clusterIP) spec.clusterIP ??= before.clusterIP;
    if (before.clusterIPs) spec.clusterIPs ??= before.clusterIPs;
  }
  if (spec.clusterIP === before.clusterIP) {
    if (before.clusterIPs) spec.clusterIPs ??= before.clusterIPs;
    return;
  }
  const isSame = listAt(spec, 'clusterIPs').join() === listAt(before, 'clusterIPs').join();
  if (!isSame) return;
  if (spec.clusterIP) spec.clusterIPs = [spec.clusterIP];
  else delete spec.clusterIPs;
}

/** Allocates the requested cluster IP, or a free one, if the Service did not need a cluster IP before. */
export function allocateAddress(
  object: KubeObject,
  { services, dryRun }: WriteContext,
  old?: KubeObject,
): void {
  const spec = objectAt(object, 'spec');
  const isNew = old === undefined || objectAt(old, 'spec').type === 'ExternalName';
  if (spec.type === 'ExternalName' || !isNew) return;
  const { name = '' } = object.metadata;
  const refuse = (why: string) =>
    invalidObject({ group: '', kind: 'Service', name }, [
      invalid('spec.clusterIPs', spec.clusterIPs ?? [''], `failed to allocate IP${why}`),
    ]);
  const address = textAt(spec, 'clusterIP');
  if (address === 'None') return;
  if (address === '') {
    const free = dryRun ? dryRunAddress : services.freeClusterIp();
    // Refuses a Service without a name: an address is an object that names its Service.
    if (name === '' && !dryRun) {
      throw refuse(
        `: IPAddress.networking.k8s.io "${free}" is invalid: spec.parentRef.name: Required value`,
      );
    }
    spec.clusterIP = free;
    spec.clusterIPs = [free];
    return;
  }
  if (!isClusterIp(address)) {
    throw refuse(` ${address}: the provided network does not match the current range`);
  }
  if (services.clusterIpHolder(address) !== undefined) {
    throw refuse(` ${address}: provided IP is already allocated`);
  }
}
