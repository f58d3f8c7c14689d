import { present } from '../../json.ts';
import type { FoundChild } from '../../kinds/child-type.ts';
import { completeFacts } from '../../kinds/child-types/facts.ts';
import type { NewCondition } from '../../kinds/condition-types.ts';
import type { Kind } from '../../kinds/kind.ts';
import { current, inProgress } from '../../kinds/readiness.ts';
import { byKey, keyOf, type ObjectRef } from '../../kubernetes.ts';
import { clockAt, codeFails, finderOf, type Wanting } from '../decision/desired.ts';
import { isApplied, isPending, type Outcome, summaryOf } from '../decision/outcome.ts';
import { toFollow } from '../decision/reasons.ts';
import { objectsRead, readsOf } from '../decision/target.ts';
import { type AppliedRecords, type LastApplied, recordText } from '../observed/applied.ts';
import { type ConditionSummary, contestedReason, readyOf } from '../observed/conditions.ts';
import type { ObservedChild } from '../observed/observed.ts';
import { isUntried } from '../observed/observed-resource.ts';
import { isOwn, typeNotServed, unlistedIn, type World } from '../observed/world.ts';
import { type CompletePlan, decisionsOf, finalizing, type Plan } from '../plan.ts';
import { unseen } from '../unwanted.ts';
import { driftedOf } from './drifted.ts';
import { repairsIn } from './kubernetes-events.ts';

export interface Finding {
  readonly summary: ConditionSummary;
  /** The desired children that exist and are ours, in the order of `desiredKeys`. */
  readonly desired: readonly (ObservedChild & Pick<FoundChild, 'upToDate'>)[];
  /**
   * The children for `status.children` besides `desired`: undesired children, unread children that may exist, and
   * absent children to remember. Sorted, so that the status is the same after every run.
   */
  readonly others: readonly ObjectRef[];
  /**
   * True if the generation is fully acted on: nothing failed transiently, nothing waits (except in a Stalled resource),
   * and no undesired child or drift is left.
   */
  readonly acted: boolean;
  readonly applied: AppliedRecords;
  /** Inputs of the children besides the spec; set only if `acted` is true and no write waits. */
  readonly inputs?: Pick<LastApplied, 'reads' | 'until'>;
  readonly repairs?: ReturnType<typeof repairsIn>;
  /** True if this run compared all children with dry runs of their applies. */
  readonly compared?: boolean | undefined;
  readonly drifted?: NewCondition;
  /** Completed children whose Jobs are gone, by `completionOf`. */
  readonly completions?: ReadonlyMap<string, FoundChild>;
  /** The kind's own fields and conditions; undefined to leave those in the status as they are. */
  readonly own?: ReturnType<Kind['ownStatus']>;
  /** The error message if the kind's code fails. */
  readonly error?: string;
  /** How the clean-up of a deleted resource ended; undefined while the clean-up continues. */
  readonly ends?: 'done' | 'NamespaceTerminating' | 'FinalizeTimedOut';
}

/** Returns absent children that stay in `status.children`: completed children, and children to create again. */
function rememberedChildren(
  { resource, children, absent }: World,
  outcomes: readonly Outcome[],
): readonly ObjectRef[] {
  const isRemembered = ({ result, waits, reason = '' }: Outcome): boolean =>
    result === 'unchanged' ||
    waits !== undefined ||
    [contestedReason, 'ChildMissing'].includes(reason);
  const remembered = new Set(outcomes.filter(isRemembered).map(({ child }) => keyOf(child)));
  return (resource.status.children ?? []).filter((ref) => {
    const key = keyOf(ref);
    return absent.has(key) && !children.has(key) && remembered.has(key);
  });
}

/** Returns undefined for a resource left alone (`isIdle`). */
export function findingOf(
  world: World,
  planned: Plan,
  outcomes: readonly Outcome[],
): Finding | undefined {
  if (planned.state === 'suspended' || planned.state === 'deleting') return undefined;
  const { resource, children } = world;
  const ours = new Map([...children].filter(([, child]) => isOwn(resource, child)));
  const { desiredKeys = [], readsLabels, until } = planned.state === 'planned' ? planned : {};
  const desired = planned.state === 'planned' ? desiredIn(ours, planned, outcomes) : [];
  for (const key of desiredKeys) ours.delete(key);
  const unread = unseen(world);
  const remembered = rememberedChildren(world, outcomes);
  const others = [...ours.values(), ...unread, ...remembered].toSorted(byKey);
  const drifted = driftedOf(resource, planned);
  const seen = { desired, others, applied: appliedIn(world, planned), ...present({ drifted }) };
  if (planned.state === 'invalid') {
    const { message, broken } = planned;
    const summary = { state: 'Stalled', reason: 'InvalidSpec', message } as const;
    const more = present({ ends: endOf(world, [], summary), error: broken && message });
    return withOwn(world, planned, { ...seen, summary, acted: true, ...more });
  }
  const all = [...outcomes, ...notFollowed(world, outcomes)];
  const summary = summaryOf(all, desired);
  const isAwaited = resource.deleting && summary.state === 'Reconciling';
  const isLeft = ours.size > 0 || mayBeLeft(world, unread, desiredKeys);
  // Ignores pending writes of a Stalled resource, because they may wait for a blocked child.
  const isOver = all.every(
    (one) => one.transient !== true && (!isPending(one) || summary.state === 'Stalled'),
  );
  const acted = isOver && !isLeft && drifted?.status !== 'True';
  return withOwn(world, planned, {
    ...seen,
    summary: isAwaited ? { ...summary, reason: finalizing } : summary,
    ...present({ ends: endOf(world, outcomes, summary) }),
    acted,
    repairs: repairsIn(outcomes),
    completions: completionsIn(planned),
    ...(acted && !all.some(isPending)
      ? { inputs: present({ reads: readsOf(world, readsLabels), until }) }
      : {}),
    compared: world.comparesDaily && planned.state === 'planned' && !planned.referenceFailed,
  });
}

function desiredIn(
  ours: ReadonlyMap<string, ObservedChild>,
  planned: CompletePlan,
  outcomes: readonly Outcome[],
): Finding['desired'] {
  const { desiredKeys, steps } = planned;
  const results = new Map(outcomes.map((one) => [keyOf(one.child), one]));
  const decisions = Map.groupBy(decisionsOf(planned), ({ child }) => keyOf(child));
  return desiredKeys.flatMap((key) => {
    const child = ours.get(key);
    if (child === undefined) return [];
    const shown = steps?.includes(key) ? asStep(child) : child;
    const upToDate = decisions.get(key)?.every((one) => isApplied(one, results.get(key))) === true;
    return { ...shown, upToDate };
  });
}

/** Returns a pending outcome for each written object that the kind reads: the kind has yet to see the new version. */
function notFollowed(world: World, outcomes: readonly Outcome[]): readonly Outcome[] {
  const made = outcomes.filter(({ result }) => result === 'created' || result === 'updated');
  const keys = new Set(made.map(({ child }) => keyOf(child)));
  if (keys.size === 0 || outcomes.some(isPending)) return [];
  return objectsRead(world)
    .filter((ref) => keys.has(keyOf(ref)))
    .map((child) => ({ child, result: 'skipped', ...toFollow(child) }));
}

/** Adds the kind's own status, unless the resource is being deleted or facts of its children are unknown. */
const withOwn = (world: World, planned: Plan, found: Finding): Finding =>
  world.resource.deleting || lacksFacts(world, planned) ? found : withOwnStatus(world, found);

/** Makes the resource Stalled if one of the kind's functions throws. */
export function withOwnStatus(world: Wanting, found: Finding): Finding {
  const { kind, resource, now } = world;
  const { summary, desired, completions = new Map() } = found;
  const children = [...desired, ...completions.values()];
  const { isPast } = clockAt(now);
  const finder = () => finderOf(world);
  const input = { ...resource, state: summary.state, children, finder, isPast };
  try {
    return { ...found, own: kind.ownStatus(input) };
  } catch (error) {
    if (found.error !== undefined) return found;
    const fails = codeFails(error);
    const message = summary.state === 'Stalled' ? `${fails}; ${summary.message}` : fails;
    const stalled = { state: 'Stalled', reason: 'InvalidSpec', message } as const;
    return { ...found, summary: stalled, error: fails };
  }
}

function endOf(
  world: World,
  outcomes: readonly Outcome[],
  { state }: ConditionSummary,
): Finding['ends'] {
  const { resource } = world;
  if (!resource.deleting) return undefined;
  if (state === 'Ready') return 'done';
  if (isOverdue(world)) return 'FinalizeTimedOut';
  const isLeaving = outcomes.some(({ reason }) => reason === 'NamespaceTerminating');
  return isLeaving && resource.namespace !== '' ? 'NamespaceTerminating' : undefined;
}

/** Counts `finalizeSeconds` from the time of Ready, or from the deletion if that was later. */
function isOverdue({ kind, resource, now = 0 }: World): boolean {
  const ready = readyOf(resource);
  if (ready?.status !== 'False' || isUntried(resource)) return false;
  const since = Math.max(...[resource.deletedAt ?? '', ready.lastTransitionTime].map(Date.parse));
  return now - since > kind.finalizeSeconds * 1000;
}

function completionsIn(planned: Plan): ReadonlyMap<string, FoundChild> {
  const over = { readiness: current, upToDate: true, facts: completeFacts };
  return new Map(
    decisionsOf(planned).flatMap((one) => {
      const completion = one.verb === 'none' ? one.completion : undefined;
      return completion === undefined ? [] : [[completion, { ...one.child, ...over }]];
    }),
  );
}

export const asStep = (child: ObservedChild): ObservedChild =>
  child.complete === true || child.readiness.state === 'Failed'
    ? child
    : { ...child, readiness: inProgress(child.facts.suspended ? 'suspended' : 'not complete yet') };

/** Reports whether children in `status.children` that this run did not read may have to be deleted. */
const mayBeLeft = (
  world: World,
  unread: ReturnType<typeof unseen>,
  desired: readonly string[],
): boolean =>
  unread.some(
    (ref) => !desired.includes(keyOf(ref)) && unlistedIn(world, ref.type)?.reason !== typeNotServed,
  );

const lacksFacts = (world: World, planned: Plan): boolean =>
  planned.state === 'unseen' ||
  (planned.state === 'planned' &&
    [...planned.decisions, ...planned.exposures].some(
      ({ type }) =>
        type.facts !== undefined &&
        ![undefined, typeNotServed].includes(unlistedIn(world, type)?.reason),
    ));

function appliedIn({ applied, resource }: World, planned: Plan): AppliedRecords {
  const records = new Map(applied);
  for (const one of decisionsOf(planned))
    if ('record' in one && one.record !== undefined) records.set(keyOf(one.child), one.record);
  if (records.size === 0) return resource.applied;
  const strings = records.entries().map(([key, one]) => [key, recordText(one)]);
  return { ...resource.applied, ...Object.fromEntries(strings) };
}
