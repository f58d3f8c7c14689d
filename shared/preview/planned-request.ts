import { titleOf } from '../kubernetes.ts';
import type { Decision } from '../plan/decision/decision.ts';
import { type DecisionRequest, trialName } from '../plan/decision/requests.ts';
import type { World } from '../plan/observed/world.ts';

export interface PlannedRequest {
  readonly verb: 'get' | 'list' | 'create' | 'apply' | 'patch' | 'delete';
  /** Such as `Deployment default/shop`, or `ClusterRole shop` for a cluster-scoped object. */
  readonly object: string;
  readonly subresource?: 'status';
  readonly manager?: string;
  /** True for a dry run, which stores nothing. */
  readonly dryRun?: true;
}

export function requestOf(
  request: DecisionRequest,
  { type, child, namespace }: Decision,
  world: World,
): PlannedRequest {
  const object = titleOf({ ...child, namespace });
  if (request.verb !== 'check')
    return {
      verb: request.verb,
      object,
      ...('manager' in request ? { manager: request.manager } : {}),
    };
  switch (request.what) {
    case 'absence':
      return { verb: 'get', object: titleOf({ namespace, ...request.ref }) };
    case 'creatable':
      return {
        verb: 'apply',
        object: titleOf({ ...child, namespace, name: trialName(child.name) }),
        manager: world.identity.name,
        dryRun: true,
      };
    case 'resource':
      return { verb: 'get', object: nameOf(world) };
    case 'exposed':
      return { verb: 'list', object: `${type.exposure?.plural} of ${nameOf(world)}` };
  }
}

/** Such as `Website default/shop`. */
export const nameOf = ({ kind, resource: { namespace, name } }: World): string =>
  titleOf({ kind: kind.kind, namespace, name });
