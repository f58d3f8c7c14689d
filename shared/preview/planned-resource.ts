import { finalizerManager } from '../identity.ts';
import { present } from '../json.ts';
import type { Impact } from '../kinds/impact.ts';
import { groupResource, keyOf, type ObjectRef, titleOf } from '../kubernetes.ts';
import {
  type Decision,
  fieldsToApply,
  isWriteDecision,
  postponedIn,
} from '../plan/decision/decision.ts';
import { impactOf } from '../plan/decision/decision-impact.ts';
import { type Origin, originOf } from '../plan/decision/origin.ts';
import { isWrite, type Outcome } from '../plan/decision/outcome.ts';
import { type DecisionRequest, expectedRequests, trialName } from '../plan/decision/requests.ts';
import { objectsRead } from '../plan/decision/target.ts';
import { type Difference, newFields } from '../plan/drift/differences.ts';
import { type ConditionSummary, obstacleIn } from '../plan/observed/conditions.ts';
import { isOwn, type World } from '../plan/observed/world.ts';
import type { Plan } from '../plan/plan.ts';
import type { Prune } from '../plan/schedule.ts';
import {
  afterCleanUp,
  eventOfEnd,
  type FinalizerChange,
  finalizerChange,
} from '../plan/status/finalizer-change.ts';
import { type Finding, findingOf } from '../plan/status/finding.ts';
import { eventsFor } from '../plan/status/kubernetes-events.ts';
import { nextStatus } from '../plan/status/status.ts';
import { forecast } from './forecast.ts';

export interface PlannedRequest {
  readonly verb: 'get' | 'list' | 'create' | 'apply' | 'patch' | 'delete';
  /** Such as `Deployment default/shop` or `ClusterRole shop`. */
  readonly object: string;
  readonly subresource?: 'status';
  readonly manager?: string;
  readonly dryRun?: true;
}

/** The plan of one resource, without values of Secrets. */
export interface PlannedResource {
  readonly kind: string;
  readonly resource: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly generation: number;
  readonly resourceVersion: string;
  readonly state: Plan['state'] | 'failed';
  /** Why there is no plan. If there is a plan: how the last run failed, if this run may fail in the same way. */
  readonly message?: string;
  /** An absent or unreadable object has no resourceVersion. */
  readonly reads?: readonly (ObjectRef & { readonly resourceVersion?: string })[];
  readonly begin?: readonly PlannedRequest[];
  /** In the order of the writes, without children that are up to date. */
  readonly actions: readonly Action[];
  /** The Ready condition to be written; absent if the status stays. */
  readonly status?: ConditionSummary | { readonly state: 'Suspended' };
  readonly events: readonly { readonly reason: string; readonly message: string }[];
  readonly finalizer?: FinalizerChange;
  /** The last requests: removal of the finalizer, Events, then the write of the status or a final read. */
  readonly commit: readonly PlannedRequest[];
}

/** Describes a decision about a child. */
export interface PlannedChange {
  readonly verb: Exclude<Decision['verb'], 'none'>;
  readonly recreates?: true;
  /** The fields that the write changes, or would change if it were not omitted. */
  readonly differences: readonly Difference[];
  /** The origin of the write (`originOf`); absent if the child is not written. */
  readonly origin?: Origin;
  /** Absent if the child is not written, empty if the write affects nothing else. */
  readonly impact?: readonly Impact[];
}

export interface Action extends PlannedChange {
  readonly child: ObjectRef;
  readonly adopts?: true;
  /** The uid and version to which the write is locked. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly reason?: string;
  readonly message?: string;
  /** The write that this decision delays. Has `differences` only if it is an update. */
  readonly later?: PlannedChange;
  readonly requests: readonly PlannedRequest[];
}

/** Returns what happens to a child now and later. */
export const nowAndLater = ({ later, ...now }: Action): readonly PlannedChange[] =>
  later === undefined ? [now] : [now, later];

export const requestsFor = (planned: PlannedResource): readonly PlannedRequest[] => [
  ...(planned.begin ?? []),
  ...planned.actions.flatMap(({ requests }) => requests),
  ...planned.commit,
];

export interface PlanOf {
  readonly planned: Plan;
  readonly world: World;
  readonly outcomes: ReadonlyMap<string, Outcome>;
}

export function describePlan(
  { planned, world, outcomes }: PlanOf,
  { now, prune }: { readonly now: string; readonly prune: Prune },
): PlannedResource {
  const expected =
    planned.state === 'planned'
      ? forecast(planned, world, { known: outcomes, prune })
      : { decisions: [], outcomes, world };
  const actions = expected.decisions.flatMap((one) => actionOf(one, world));
  const done = [...expected.outcomes.values()];
  const after = findingOf(expected.world, planned, done);
  const finalizer = finalizerChange(world, planned, after);
  const event = finalizer === 'remove' ? eventOfEnd(world, after) : undefined;
  const ended = event ? [event] : [];
  const left = finalizer === 'remove' && after ? afterCleanUp(world.resource, after) : after;
  const { kind, resource } = world;
  const posts = left ? eventsFor(kind, resource, { ...left, outcomes: done }) : [];
  const wrote = done.some(isWrite);
  const { status, commit } = commitOf(world, left, { now, wrote });
  const events = commit.length > 0 ? posts : [];
  const write = { object: nameOf(world), manager: finalizerManager(world.identity) };
  const reads = objectsRead(world);
  const posted = { verb: 'create', object: `Event of ${write.object}` } as const;
  return {
    ...identityOf(world),
    state: planned.state,
    ...('message' in planned ? { message: planned.message } : lastResult(world, actions)),
    ...present({ reads: reads.length === 0 ? undefined : reads }),
    ...(finalizer === 'add' ? { begin: [{ verb: 'apply', ...write }] } : {}),
    actions,
    ...present({ finalizer, status }),
    events: [...ended, ...events].map(({ reason, message }) => ({ reason, message })),
    commit: [
      ...(finalizer === 'remove' ? [{ verb: 'patch', ...write } as const] : []),
      ...ended.map(() => posted),
      ...events.map(() => posted),
      ...commit,
    ],
  };
}

function commitOf(
  world: World,
  found: Finding | undefined,
  { now, wrote }: { readonly now: string; readonly wrote: boolean },
): Pick<PlannedResource, 'status' | 'commit'> {
  const { kind, resource, identity } = world;
  const object = nameOf(world);
  if (found === undefined && resource.deleting) return { commit: [] };
  const next = nextStatus(kind, resource, { now, found });
  if (next === undefined) return { commit: wrote ? [{ verb: 'get', object }] : [] };
  const write = { verb: 'apply', object, manager: identity.name, subresource: 'status' } as const;
  return { status: found?.summary ?? { state: 'Suspended' }, commit: [write] };
}

/** Returns the last run's obstacle if the planned writes may meet the same obstacle and no action shows it. */
function lastResult(world: World, actions: readonly Action[]): { readonly message?: string } {
  const obstacle = obstacleIn(world.resource);
  const isShown = actions.some(({ reason }) => reason === obstacle?.reason);
  if (obstacle === undefined || isShown || actions.every(({ requests }) => requests.length === 0))
    return {};
  return { message: `the last run ended with ${obstacle.reason}: ${obstacle.message}` };
}

export const identityOf = ({ kind, resource }: World) => ({
  kind: kind.kind,
  resource: groupResource(kind),
  namespace: resource.namespace,
  name: resource.name,
  uid: resource.uid,
  generation: resource.generation,
  resourceVersion: resource.resourceVersion,
});

function actionOf(decision: Decision, world: World): readonly Action[] {
  if (decision.verb === 'none') return [];
  const { child } = decision;
  const { identity, asked } = world;
  const { after, doubt } = asked.get(keyOf(child)) ?? {};
  const requests = isWriteDecision(decision) ? expectedRequests(decision, after, identity) : [];
  return [
    {
      ...changeOf(decision, world),
      child,
      ...(isAdoption(decision, world) ? { adopts: true as const } : {}),
      ...('lock' in decision && decision.lock !== 'previous' ? decision.lock : {}),
      ...('reason' in decision ? { reason: decision.reason } : {}),
      ...present({ message: 'message' in decision ? decision.message : doubt }),
      ...present({ later: laterThan(decision, world) }),
      requests: requests.map((one) => requestOf(one, decision, world)),
    },
  ];
}

const changeOf = (decision: Exclude<Decision, { verb: 'none' }>, world: World): PlannedChange => ({
  verb: decision.verb,
  ...('recreates' in decision ? present({ recreates: decision.recreates }) : {}),
  differences: differencesOf(decision),
  ...(isWriteDecision(decision)
    ? { ...present({ origin: originOf(decision, world) }), impact: impactOf(decision, world) }
    : {}),
});

export function isAdoption({ verb, child }: Decision, { children, resource }: World): boolean {
  const observed = children.get(keyOf(child));
  return verb === 'update' && observed !== undefined && !isOwn(resource, observed);
}

function differencesOf(decision: Decision): readonly Difference[] {
  switch (decision.verb) {
    case 'create':
      return newFields(decision.type.kind, fieldsToApply(decision), decision.generates);
    case 'update':
      return decision.differences ?? [];
    case 'withdraw':
      return [decision.difference];
    case 'hold':
      return decision.drift === undefined ? [] : differencesOf(decision.drift);
    default:
      return [];
  }
}

function laterThan(decision: Decision, world: World): PlannedChange | undefined {
  const write = postponedIn(decision)?.write;
  if (write?.verb !== 'update') return write && { ...changeOf(write, world), differences: [] };
  const repaired = decision.verb === 'update' ? decision.differences : undefined;
  const differences = write.differences?.filter((one) => repaired?.includes(one) !== true);
  return changeOf({ ...write, differences }, world);
}

function requestOf(
  request: DecisionRequest,
  { child, namespace }: Decision,
  world: World,
): PlannedRequest {
  const object = titleOf({ ...child, namespace });
  const manager = 'manager' in request ? request.manager : undefined;
  if (request.verb !== 'check') return { verb: request.verb, object, ...present({ manager }) };
  switch (request.what) {
    case 'absence':
      return { verb: 'get', object: titleOf({ namespace, ...request.ref }) };
    case 'creatable': {
      const trial = titleOf({ ...child, namespace, name: trialName(child.name) });
      return { verb: 'apply', object: trial, manager: world.identity.name, dryRun: true };
    }
    case 'resource':
      return { verb: 'get', object: nameOf(world) };
    case 'exposed':
      return { verb: 'list', object: `Ingresses of ${nameOf(world)}` };
  }
}

const nameOf = ({ kind, resource: { namespace, name } }: World): string =>
  titleOf({ kind: kind.kind, namespace, name });
