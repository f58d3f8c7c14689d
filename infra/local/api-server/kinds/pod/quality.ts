import { type JsonObject, objectAt, objectsAt, textAt } from '../../json/value.ts';
import { compareQuantities } from '../../objects/quantity.ts';

const resources = ['cpu', 'memory'];

/** Returns the quality of service that a pod gets from its processors and memory. */
export function qosClassOf(spec: JsonObject): 'BestEffort' | 'Burstable' | 'Guaranteed' {
  const containers = ['containers', 'initContainers'].flatMap((list) => objectsAt(spec, list));
  const amounts = containers.flatMap((container) => {
    const { limits, requests } = objectAt(container, 'resources') as Record<string, JsonObject>;
    return resources.map((name) => ({
      limit: textAt(limits, name) || '0',
      request: textAt(requests, name) || '0',
    }));
  });
  const isPositive = (amount: string) => compareQuantities(amount, '0') > 0;
  if (!amounts.some(({ limit, request }) => isPositive(limit) || isPositive(request))) {
    return 'BestEffort';
  }
  const isGuaranteed = amounts.every(
    ({ limit, request }) => isPositive(limit) && compareQuantities(limit, request) === 0,
  );
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}
