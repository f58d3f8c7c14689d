import { isDeferredToResync } from '../drift/contest.ts';
import { type Condition, readyOf } from '../observed/conditions.ts';
import type { ObservedResource } from '../observed/observed-resource.ts';

/** The obstacle that the last run of this generation reported; undefined if it reported none. */
export function obstacleIn(resource: ObservedResource):
  | {
      readonly state: 'Contested' | 'Blocked';
      readonly reason: string;
      readonly message: string;
    }
  | undefined {
  const { conditions = [] } = resource.status;
  const isPresent = ({ observedGeneration }: Condition): boolean =>
    observedGeneration === resource.generation;
  const ready = readyOf(resource);
  const stalled = conditions.find(({ type, status }) => type === 'Stalled' && status === 'True');
  if (ready !== undefined && isPresent(ready) && isDeferredToResync(ready.reason))
    return { state: 'Contested', reason: ready.reason, message: ready.message };
  if (stalled !== undefined && isPresent(stalled))
    return { state: 'Blocked', reason: stalled.reason, message: stalled.message };
  return undefined;
}
