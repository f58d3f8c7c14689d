import { isIdle } from '../../shared/finalization.ts';
import { present } from '../../shared/json.ts';
import { ownedType } from '../../shared/kinds/kind.ts';
import { observeAnnotation } from '../../shared/kinds/names.ts';
import { groupResource, keyOf, type ObjectRef, titleOf } from '../../shared/kubernetes.ts';
import {
  type Decision,
  insteadOf,
  isWriteDecision,
  type Update,
} from '../../shared/plan/decision/decision.ts';
import { type Origin, originOf } from '../../shared/plan/decision/origin.ts';
import { waitingFor } from '../../shared/plan/decision/reasons.ts';
import { isChangedByOthers } from '../../shared/plan/drift/contest.ts';
import type { Difference } from '../../shared/plan/drift/differences.ts';
import { obstacleIn, readyOf, suspended } from '../../shared/plan/observed/conditions.ts';
import type { ObservedChild } from '../../shared/plan/observed/observed.ts';
import { isEdited } from '../../shared/plan/observed/observed-resource.ts';
import { isOwn, refOf, typeNotServed, type World } from '../../shared/plan/observed/world.ts';
import { decisionsOf, type Plan } from '../../shared/plan/plan.ts';
import { afterNeeds } from '../../shared/plan/schedule.ts';
import { asStep } from '../../shared/plan/status/finding.ts';
import { changeText } from '../../shared/plan/status/kubernetes-events.ts';
import { type StateName, worstFirst } from './sync-states.ts';

export interface SyncState {
  readonly state: StateName;
  readonly reason?: string;
  readonly message?: string;
  /** The field manager that last wrote a differing field, if managedFields name a manager. */
  readonly by?: string;
  /** When the manager `by` last changed the object. Its change to the differing field may be older. */
  readonly at?: string;
}

/** The health of a child. `Absent`: the child does not exist. `Unknown`: its type could not be listed. */
interface Health {
  readonly state: 'Current' | 'InProgress' | 'Failed' | 'Deleting' | 'Absent' | 'Unknown';
  readonly message?: string;
}

export interface ChildSync {
  readonly child: ObjectRef;
  readonly sync: SyncState;
  readonly health: Health;
  /** The latest change outside the status; absent if managedFields record no time for it. */
  readonly changed?: { readonly manager: string; readonly time: string };
  /** Values of Secrets are masked. */
  readonly differences: readonly Difference[];
  /** The cause of the change that the next run makes; absent if the next run changes nothing. */
  readonly origin?: Origin;
}

export interface ResourceSync {
  readonly sync: SyncState;
  /** Desired children in the kind's order, then children to be pruned. */
  readonly children: readonly ChildSync[];
}

/**
 * Derives the sync state of a resource from its plan. To show the children of a suspended or observed resource,
 * pass a plan that was made as if the resource were neither.
 *
 * Guarantees: a resource is InSync only if every child is InSync and a run has acted on the resource's generation.
 */
export function syncStateOf(world: World, planned: Plan): ResourceSync {
  const { resource } = world;
  const children = childrenOf(withSteps(world, planned), planned);
  const found = stateOf(world, planned, children);
  if (resource.deleting) return { sync: deletionOf(resource), children };
  if (!resource.suspended && !resource.observeOnly) return { sync: found, children };
  const meanwhile = found.state === 'InSync' ? '' : `; ${found.state}: ${found.message}`;
  const why = resource.suspended ? suspended.message : onlyObserved;
  const state = resource.suspended ? 'Suspended' : 'Observed';
  return { sync: { state, message: `${why}${meanwhile}` }, children };
}

const onlyObserved = `nothing but the status is written until the annotation ${observeAnnotation} is removed`;

/** Returns the world with each step shown as in progress until it is complete or has failed. */
function withSteps(world: World, planned: Plan): World {
  const { steps = [] } = planned.state === 'planned' ? planned : {};
  if (steps.length === 0) return world;
  const shown = Array.from(
    world.children,
    ([key, child]) => [key, steps.includes(key) ? asStep(child) : child] as const,
  );
  return { ...world, children: new Map(shown) };
}

export function deletionOf(resource: World['resource']): SyncState {
  const ready = readyOf(resource);
  if (isIdle(resource)) return { state: 'Deleting', message: 'being deleted, so it is left alone' };
  if (ready?.status !== 'False') return { state: 'Deleting', message: 'waits for its clean-up' };
  return { state: 'Deleting', reason: ready.reason, message: ready.message };
}

function stateOf(world: World, planned: Plan, children: readonly ChildSync[]): SyncState {
  if (planned.state === 'invalid')
    return { state: 'Blocked', reason: 'InvalidSpec', message: planned.message };
  if (planned.state === 'unseen')
    return {
      state: 'Failed',
      reason: 'NotRead',
      message: 'some objects that its plan needs could not be read',
    };
  const [worst] = children.toSorted(worstFirst);
  const state = worst?.sync.state ?? 'InSync';
  const obstacle = repairable.includes(state) ? obstacleIn(world.resource) : undefined;
  if (obstacle !== undefined) return obstacle;
  if (state !== 'InSync') return summaryOf(state, children, world);
  if (isEdited(world.resource))
    return {
      state: 'Progressing',
      reason: 'GenerationPending',
      message: 'no run has acted on the latest generation yet',
    };
  return { state: 'InSync' };
}

/** The states that the next run repairs, unless the last run reported an obstacle. */
const repairable: readonly string[] = ['Missing', 'Drifted', 'Unwanted'];

function summaryOf(state: StateName, children: readonly ChildSync[], world: World): SyncState {
  const same = children.filter(
    ({ sync }) => ofResource(sync.state, world) === ofResource(state, world),
  );
  const [first] = same.map(({ sync }) => sync);
  return {
    ...first,
    state: ofResource(state, world),
    message: same.map(({ child, sync }) => naming(titleOf(child), sync.message)).join('; '),
  };
}

/** Puts the child's title before the message, unless the message begins with that title. */
const naming = (title: string, message = ''): string =>
  [' ', ': '].some((next) => message.startsWith(title + next)) ? message : `${title}: ${message}`;

function ofResource(state: StateName, { resource }: World): StateName {
  if (state === 'Deleting') return 'Progressing';
  if (state === 'Unwanted') return isEdited(resource) ? 'Progressing' : 'Drifted';
  return state;
}

/** Replaces a creation with a wait if a needed child is not in place, as a run does. */
function withWaits(decisions: readonly Decision[]): readonly Decision[] {
  const stuck = new Set(
    decisions
      .filter(({ verb }) => ['wait', 'block', 'fail'].includes(verb))
      .map(({ child }) => keyOf(child)),
  );
  const waits = new Map<Decision, Decision>();
  for (const one of afterNeeds(decisions)) {
    const unmet = one.verb === 'create' && one.needs?.find((need) => stuck.has(keyOf(need)));
    if (!unmet) continue;
    stuck.add(keyOf(one.child));
    waits.set(one, insteadOf(one, { verb: 'wait', ...waitingFor(one, unmet) }));
  }
  return decisions.map((one) => waits.get(one) ?? one);
}

/** Returns one state for each child: if it has several decisions, the worst. */
function childrenOf(world: World, planned: Plan): readonly ChildSync[] {
  const all =
    planned.state === 'planned'
      ? withWaits(decisionsOf(planned)).map((one, _, decisions) =>
          childOf(world, one.child, {
            sync: stateFor(one, world, decisions),
            ...differencesOf(one),
            origin: isWriteDecision(one) ? originOf(one, world) : undefined,
          }),
        )
      : [...world.children.values()].map((one) =>
          childOf(world, refOf(one), { sync: unplanned(planned, one) }),
        );
  const byKey = Map.groupBy(all, ({ child }) => keyOf(child));
  return [...byKey.values()].flatMap((same) => same.toSorted(worstFirst).slice(0, 1));
}

function childOf(
  { kind, resource, children, unlisted }: World,
  child: ObjectRef,
  {
    sync,
    differences = [],
    origin,
  }: Pick<ChildSync, 'sync'> &
    Partial<Pick<ChildSync, 'differences'>> & { readonly origin?: Origin | undefined },
): ChildSync {
  const why = present({ origin });
  const observed = children.get(keyOf(child));
  if (observed === undefined || !isOwn(resource, observed)) {
    const type = ownedType(kind, child);
    const failure = type && unlisted.get(groupResource(type));
    const isAbsent = failure === undefined || failure.reason === typeNotServed;
    const health = { state: isAbsent ? ('Absent' as const) : ('Unknown' as const) };
    return { child, sync, health, differences, ...why };
  }
  const { deleting, readiness } = observed;
  // Omits `changed` after `kubectl scale`, whose managedFields entry has no time, and may be newer than all others.
  const isUndated = sync.by !== undefined && sync.at === undefined;
  const changed = isUndated ? undefined : lastChange(observed);
  return {
    child,
    sync,
    health: {
      state: deleting ? 'Deleting' : readiness.state,
      ...('message' in readiness ? { message: readiness.message } : {}),
    },
    ...present({ changed }),
    differences,
    ...why,
  };
}

function lastChange({ ours, others }: ObservedChild): ChildSync['changed'] {
  const [last] = [...(ours === undefined ? [] : [ours]), ...others]
    .flatMap(({ manager, time }) => (time === undefined ? [] : [{ manager, time }]))
    .toSorted((a, b) => b.time.localeCompare(a.time));
  return last;
}

const unplanned = ({ state }: Plan, { deleting }: ObservedChild): SyncState =>
  state === 'deleting' || deleting
    ? { state: 'Deleting', message: 'deleted with its owner' }
    : { state: 'Blocked', message: 'not compared, because its desired state is unknown' };

const differencesOf = (decision: Decision): Partial<Pick<ChildSync, 'differences'>> =>
  decision.verb === 'update' ? present({ differences: decision.differences }) : {};

function stateFor(decision: Decision, world: World, all: readonly Decision[]): SyncState {
  switch (decision.verb) {
    case 'none':
    case 'ask':
    case 'consolidate':
      return asDesired(decision, world);
    case 'create':
      return {
        state: 'Missing',
        ...(decision.existed
          ? { message: 'gone, will be created again' }
          : (refusalOf(world, all) ?? { message: 'not created yet' })),
      };
    case 'update':
      return changed(decision, world);
    case 'release':
      return { state: 'Progressing', message: 'loses its owner reference, and stays' };
    case 'withdraw':
    case 'delete': {
      const { reason, message = 'no longer desired' } = 'reason' in decision ? decision : {};
      return { state: 'Unwanted', ...present({ reason }), message };
    }
    case 'hold':
      return { state: 'Progressing', ...why(decision) };
    case 'wait':
      return { state: waiting(decision, world), ...why(decision) };
    case 'defer':
      return { state: 'Contested', ...why(decision) };
    case 'block':
      return {
        state: decision.reason === 'ErrResourceExists' ? 'Foreign' : 'Blocked',
        ...why(decision),
      };
    case 'fail':
      return { state: 'Failed', ...why(decision) };
  }
}

const why = ({ reason, message }: { readonly reason: string; readonly message: string }) => ({
  reason,
  message,
});

/**
 * Returns why the last run could not create a child, as far as the resource's Ready condition shows. If several
 * children have to be created, returns no `reason`: the condition does not say which of them was refused.
 */
function refusalOf(
  { resource, children }: World,
  all: readonly Decision[],
): Pick<SyncState, 'reason' | 'message'> | undefined {
  const { state, reason } = obstacleIn(resource) ?? {};
  if (state !== 'Blocked' || reason === undefined) return undefined;
  const isOfOther =
    all.some((one) => one.verb === 'block' && one.reason === reason) ||
    children.values().some((one) => 'reason' in one.readiness && one.readiness.reason === reason);
  if (isOfOther) return undefined;
  return all.filter(({ verb }) => verb === 'create').length === 1
    ? { reason, message: `refused in the last run: ${reason}` }
    : { message: `not created yet; the last run reported ${reason}` };
}

function asDesired(decision: Decision, { resource, children }: World): SyncState {
  const observed = children.get(keyOf(decision.child));
  if ('completion' in decision) return { state: 'InSync', message: 'completed, then deleted' };
  if (observed === undefined || (decision.verb === 'none' && !isOwn(resource, observed)))
    return { state: 'InSync', message: 'gone or kept, as the clean-up requires' };
  const { readiness } = observed;
  if (readiness.state === 'Failed') return { ...readiness };
  if (readiness.state === 'InProgress') return { state: 'Progressing', message: readiness.message };
  return { state: 'InSync' };
}

const waiting = ({ child }: Decision, { children }: World): StateName =>
  children.get(keyOf(child))?.deleting ? 'Deleting' : 'Progressing';

/** Returns Progressing if the change follows from an edit that no run has acted on yet; otherwise Drifted. */
function changed({ child, differences = [] }: Update, { resource, asked }: World): SyncState {
  const doubt = asked.get(keyOf(child))?.doubt ?? 'the differences are unknown';
  const message = differences.map(changeText).join('; ') || doubt;
  const isRepair = differences.length > 0 && differences.every(isChangedByOthers);
  if (isEdited(resource) && !isRepair)
    return { state: 'Progressing', message: `to be updated: ${message}` };
  const [latest] = differences
    .flatMap(({ writer }) => writer ?? [])
    .toSorted((a, b) => (b.time ?? '').localeCompare(a.time ?? ''));
  return {
    state: 'Drifted',
    message,
    ...present({ by: latest?.manager, at: latest?.time }),
  };
}
