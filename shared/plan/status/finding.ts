import { isOverdue } from '../../finalization.ts';
import { present } from '../../json.ts';
import { inProgress } from '../../kinds/readiness.ts';
import { keyOf, type ObjectRef } from '../../kubernetes.ts';
import { finalizing } from '../clean-up.ts';
import { type Outcome, summaryOf } from '../decision/outcome.ts';
import { readsOf, selectedIn } from '../decision/target.ts';
import { isDeferredToResync } from '../drift/contest.ts';
import { type AppliedRecords, textOf } from '../observed/applied.ts';
import type { ConditionSummary } from '../observed/conditions.ts';
import type { ObservedChild } from '../observed/observed.ts';
import { isOwn } from '../observed/ownership.ts';
import { typeNotServed, unlistedIn, type World } from '../observed/world.ts';
import { decisionsOf, type Plan, unseen } from '../plan.ts';
import { withRemedy } from './adoptable.ts';
import { repairsIn } from './kubernetes-events.ts';
import { obstacleIn } from './obstacle.ts';

/** The results for one resource, from which its status is computed. */
export interface Finding {
  readonly summary: ConditionSummary;
  /** The Event's message for a stall, if the condition's message also has a remedy. */
  readonly event?: string;
  /** The resource's own live children that are wanted, in the kind's order. */
  readonly wanted: readonly ObservedChild[];
  /** The resource's own live children that are still to be pruned; sorted, because lists come in any order. */
  readonly leftovers: readonly ObservedChild[];
  /** The objects that the resource refers to, as this run has read them. */
  readonly references?: World['reads'];
  /** Children listed in the status but not read in this run; kept, because they may exist without labels. */
  readonly unseen?: readonly ObjectRef[];
  /** True if facts of wanted children are unknown, because their type could not be listed. */
  readonly lacksFacts?: true;
  /** True if the generation was acted on: no transient error is in the way, and nothing unwanted is left. */
  readonly acted: boolean;
  /** Records of the last applies to its children. */
  readonly applied: AppliedRecords;
  /** Digest of the referenced objects, if they were acted on. */
  readonly reads?: string;
  /** Marks of the objects that selectors found, if all are known. */
  readonly selected?: string;
  /** The repairs of this run, by child: see `repairsIn`. */
  readonly repairs?: ReturnType<typeof repairsIn>;
  /** The completions of wanted children that are gone, to be kept: see `completionOf`. */
  readonly completions?: ReadonlySet<string>;
  /** The children that are left to the next resync, with who deletes them if that is known. */
  readonly contested?: ReadonlyMap<string, string | undefined>;
  /** True if all children were compared with a dry run of their apply. */
  readonly compared?: true;
  /** How the clean-up of a deleted resource has ended; undefined while it goes on. */
  readonly ends?: End;
}

/** A clean-up ends complete, in a namespace that is being deleted, or after its time. */
export type End = 'done' | 'NamespaceTerminating' | 'FinalizeTimedOut';

/**
 * Children that stay in the status although they do not exist: those that are complete, and those whose creation is
 * left to the next resync, which has to know that they existed.
 */
const rememberedChildren = (
  { resource, children, absent }: World,
  outcomes: readonly Outcome[],
): readonly ObjectRef[] =>
  (resource.status.children ?? []).filter(
    (ref) =>
      absent.has(keyOf(ref)) &&
      !children.has(keyOf(ref)) &&
      outcomes.some((one) => keyOf(one.child) === keyOf(ref) && isRemembered(one)),
  );

const isRemembered = (outcome: Outcome): boolean =>
  outcome.result === 'unchanged' || isContested(outcome);

const isContested = ({ reason }: Outcome): boolean =>
  reason !== undefined && isDeferredToResync(reason);

/** The finding for a plan and its outcomes; undefined for a suspended resource or one being deleted. */
export function findingOf(
  world: World,
  planned: Plan,
  outcomes: readonly Outcome[],
): Finding | undefined {
  if (planned.state === 'suspended' || planned.state === 'deleting') return undefined;
  const { resource, children } = world;
  const own = new Map([...children].filter(([, child]) => isOwn(resource, child)));
  const keys = planned.state === 'planned' ? planned.wanted : [];
  const steps = planned.state === 'planned' ? planned.steps : undefined;
  const wanted = keys.flatMap((key) => {
    const child = own.get(key);
    return child === undefined ? [] : [steps?.includes(key) ? asStep(child) : child];
  });
  for (const key of keys) own.delete(key);
  const leftovers = [...own.values()].toSorted(byKey);
  const unread = unseen(world);
  const notSeen = [...unread, ...rememberedChildren(world, outcomes)].toSorted(byKey);
  const applied = appliedIn(world, planned);
  const seen = { wanted, leftovers, unseen: notSeen, applied, ...referencesIn(world) };
  if (planned.state === 'invalid') {
    const { message } = planned;
    return { ...seen, summary: { state: 'Stalled', reason: 'InvalidSpec', message }, acted: true };
  }
  const condition = conditionOf(world, outcomes, wanted);
  const { summary } = condition;
  // Until pending deletions are done, the generation is not acted on, so the resource still counts as edited.
  const isLeft = leftovers.length > 0 || mayBeLeft(world, unread, keys);
  // Waiting for a blocked child is not transient: the generation counts as acted on, and the resource is
  // Stalled.
  const isOver = outcomes.every(
    ({ result, transient }) =>
      transient !== true && (result !== 'skipped' || summary.state === 'Stalled'),
  );
  const acted = isOver && !isLeft;
  return {
    ...seen,
    ...condition,
    ...(resource.deleting ? ofDeletion(world, outcomes, { summary, wanted }) : {}),
    acted,
    repairs: repairsIn(outcomes),
    completions: completionsIn(planned),
    contested: new Map(
      outcomes.filter(isContested).map(({ child, deleter }) => [keyOf(child), deleter]),
    ),
    ...(acted ? present({ reads: readsOf(world) }) : {}),
    ...(lacksFacts(world, planned) ? { lacksFacts: true } : {}),
    ...(world.compares && planned.state === 'planned' ? { compared: true } : {}),
  };
}

const ofDeletion = (
  world: World,
  outcomes: readonly Outcome[],
  { summary, wanted }: Pick<Finding, 'summary' | 'wanted'>,
): Pick<Finding, 'summary' | 'ends' | 'lacksFacts'> => ({
  summary: awaiting(summary, wanted),
  ...present({ ends: endOf(world, outcomes, summary) }),
  // The children of a clean-up have no facts for `statusOf`.
  lacksFacts: true,
});

/** Returns how the clean-up of a deleted resource ends; undefined while it goes on. */
function endOf(
  { kind, resource, now }: World,
  outcomes: readonly Outcome[],
  { state }: ConditionSummary,
): End | undefined {
  if (isOverdue(kind, resource, now)) return 'FinalizeTimedOut';
  const isLeaving = outcomes.some(({ reason }) => reason === 'NamespaceTerminating');
  if (isLeaving && resource.namespace !== '') return 'NamespaceTerminating';
  return state === 'Ready' ? 'done' : undefined;
}

/** Returns the condition of a resource during its clean-up, with everything that it waits for. */
function awaiting(summary: ConditionSummary, wanted: readonly ObservedChild[]): ConditionSummary {
  if (summary.state !== 'Reconciling') return summary;
  const progress = summaryOf([], wanted);
  const messages = [summary.message, ...('message' in progress ? [progress.message] : [])];
  return { ...summary, reason: finalizing, message: [...new Set(messages)].join('; ') };
}

const referencesIn = (world: World): Pick<Finding, 'references' | 'selected'> =>
  present({ references: world.reads, selected: selectedIn(world) });

const completionsIn = (planned: Plan): ReadonlySet<string> =>
  new Set(
    planned.state === 'planned'
      ? decisionsOf(planned).flatMap((one) => (one.verb === 'none' && one.completion) || [])
      : [],
  );

function conditionOf(
  world: World,
  outcomes: readonly Outcome[],
  wanted: readonly ObservedChild[],
): Pick<Finding, 'summary' | 'event'> {
  const plain = stillStalled(world.resource, outcomes) ?? summaryOf(outcomes, wanted);
  const told = withRemedy(outcomes, world);
  if (told === outcomes || plain.state === 'Ready') return { summary: plain };
  return { summary: summaryOf(told, wanted), event: plain.message };
}

/**
 * The obstacle that the last resync found in this generation, if this run leaves all writes to the next resync. Such a
 * run has learned nothing new, so it must not change the condition.
 */
function stillStalled(
  resource: World['resource'],
  outcomes: readonly Outcome[],
): ConditionSummary | undefined {
  const isIdle = outcomes.every(({ result }) => result === 'unchanged' || result === 'skipped');
  if (!isIdle || !outcomes.some(isContested)) return undefined;
  const { state, ...found } = obstacleIn(resource) ?? {};
  return state === 'Blocked' ? ({ state: 'Stalled', ...found } as ConditionSummary) : undefined;
}

/** Shows a step as in progress until it is complete or has failed. */
const asStep = (child: ObservedChild): ObservedChild =>
  child.complete === true || child.readiness.state === 'Failed'
    ? child
    : { ...child, readiness: inProgress('not complete yet') };

/** Reports whether recorded children that this run has not seen may have to be pruned. */
const mayBeLeft = (
  world: World,
  unread: ReturnType<typeof unseen>,
  wanted: readonly string[],
): boolean =>
  unread.some(
    (ref) => !wanted.includes(keyOf(ref)) && unlistedIn(world, ref.type)?.reason !== typeNotServed,
  );

const lacksFacts = (world: World, planned: Plan): boolean =>
  planned.state === 'planned' &&
  [...planned.decisions, ...planned.exposures].some(
    ({ type }) =>
      type.facts !== undefined &&
      ![undefined, typeNotServed].includes(unlistedIn(world, type)?.reason),
  );

/**
 * The records of the status, of this run's applies, of children that the server found in order, and of complete ones to
 * be deleted.
 */
function appliedIn({ applied, resource }: World, planned: Plan): AppliedRecords {
  const found = planned.state === 'planned' ? decisionsOf(planned) : [];
  const inOrder = found.flatMap((one) =>
    (one.verb === 'none' || one.verb === 'delete') && one.record !== undefined
      ? [[keyOf(one.child), one.record] as const]
      : [],
  );
  const records = [...(applied ?? []), ...inOrder].map(([key, one]) => [key, textOf(one)] as const);
  return records.length === 0
    ? resource.applied
    : { ...resource.applied, ...Object.fromEntries(records) };
}

const byKey = (a: ObjectRef, b: ObjectRef): number => (keyOf(a) < keyOf(b) ? -1 : 1);
