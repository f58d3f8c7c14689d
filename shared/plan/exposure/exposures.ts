import * as exposure from '../../kinds/child-types/ingress.ts';
import { ingress } from '../../kinds/child-types/networking.ts';
import { keyOf } from '../../kubernetes.ts';
import {
  aboutOf,
  type Create,
  type Decided,
  type Decision,
  insteadOf,
  isWriteDecision,
  type Update,
  versionOf,
} from '../decision/decision.ts';
import { actsOnForeign, foreignTarget, type Siblings } from '../decision/dependencies.ts';
import { beingDeleted, exposurePending, unreadable, waitingFor } from '../decision/reasons.ts';
import type { ContestedWorld } from '../drift/contest.ts';
import type { ObservedChild } from '../observed/observed.ts';
import { isLasting, isOwn } from '../observed/world.ts';
import { livePaths, patternsOf, repair, withdraw, withPaths } from './exposing-child.ts';
import { type ExposureStep, exposureSteps } from './order.ts';

/** Limits of one resource: the number of live objects that expose paths, and the total number of their paths. */
const maxObjects = 256;
const maxPaths = 1024;

interface Given {
  readonly world: ContestedWorld;
  readonly desired: readonly Decided[];
  /** The live Ingresses that are ours or have the name of a desired Ingress. */
  readonly live: readonly ObservedChild[];
}

/**
 * Returns the decisions about the Ingresses of a resource, in an order that fails closed.
 *
 * Flow: an Ingress whose target is foreign is deleted. If it requires authorization, the resource's other Ingresses are
 * deleted, too, shallower paths first: a public `/shop` would serve the requests for the deleted `/shop/admin`.
 */
export function exposures(siblings: Siblings, given: Given): readonly Decision[] {
  const { world, desired } = given;
  const misdirected = desired.flatMap((one) => {
    const target = foreignTarget(one.child, siblings);
    return target ? { ...one, target } : [];
  });
  const guarded = misdirected.find(({ child }) => !exposure.isPublic(child));
  const cause = guarded ?? misdirected[0];
  if (cause === undefined) return inOrder(given);
  const why = actsOnForeign(cause.decision.child, cause.target);
  const closing = guarded === undefined ? misdirected : desired;
  const names = new Set(closing.map(({ child }) => child.name));
  const steps = inOrder({
    ...given,
    desired: desired.filter(({ child }) => !names.has(child.name)),
    live: given.live.filter((one) => isOwn(world.resource, one) || !names.has(one.name)),
  });
  const written = new Set(steps.map(({ child }) => child.name));
  return [
    ...steps.map((one) =>
      one.verb === 'delete' && names.has(one.child.name) ? { ...one, ...why } : one,
    ),
    ...closing
      .filter(({ child }) => !written.has(child.name))
      .map(({ decision }) =>
        isWriteDecision(decision)
          ? insteadOf(decision, { verb: 'wait', ...waitingFor(decision, cause.target) })
          : decision,
      ),
  ];
}

/**
 * Returns the writes that lead from the live objects to the desired objects, in an order that fails closed.
 *
 * Flow: first come repairs of everything but the paths, because an object may have lost its authorization. Then come
 * the steps of `exposureSteps`, which write the paths. Last come the decisions about objects without a step. If an
 * object is blocked, the only writes are deletions of blocked objects that lost their authorization.
 *
 * Guarantees: the last write of a desired object leaves it exactly as desired, unless the object waits. Foreign objects
 * affect the order but are never written. Beyond `maxObjects` or `maxPaths`, no path is exposed or withdrawn.
 */
function inOrder(given: Given): readonly Decision[] {
  const { world, desired, live } = given;
  if (desired.some(({ child }) => child.blocked !== undefined)) return blocked(given);
  const repairs = desired.flatMap(({ decision, observed }) =>
    world.possiblePaths.has(keyOf(decision.child)) ? [] : repair(decision, observed),
  );
  if (exceedsLimits(given)) return [...repairs, ...leaveUnchanged(given, repairs)];
  const steps = exposureSteps(
    live.map((one) => livePaths(world, one)),
    desired.map(({ child }) => ({
      name: child.name,
      isPublic: exposure.isPublic(child),
      paths: exposure.patternsIn(child.body).map(exposure.withoutMarker),
    })),
    unwritableIn(given),
  );
  const moved = new Set(steps.map(({ name }) => name));
  const repaired = new Set(repairs.map(({ child }) => child.name));
  const decisions = desired.map(({ decision }) => decision);
  const whole = decisions.filter(({ child }) => !moved.has(child.name));
  return [
    ...repairs.filter(({ child }) => moved.has(child.name)),
    ...whole.filter(({ child }) => repaired.has(child.name)),
    ...movesOf(given, steps, repairs),
    ...whole.filter(({ child }) => !repaired.has(child.name)),
  ];
}

/**
 * Turns the steps into writes. A desired object that loses all its paths is first written with placeholder rules,
 * because an apply without rules would leave the rules of other managers in place.
 */
function movesOf(
  given: Given,
  steps: readonly ExposureStep[],
  repairs: readonly Update[],
): readonly Decision[] {
  const { world, desired, live } = given;
  const observed = new Map(live.map((child) => [child.name, child]));
  const decisions = new Map(desired.map(({ decision }) => [decision.child.name, decision]));
  const last = new Map<string, Decision>(repairs.map((one) => [one.child.name, one]));
  return steps.flatMap((step): Decision | readonly Decision[] => {
    const { name } = step;
    const [child, decision, before] = [observed.get(name), decisions.get(name), last.get(name)];
    const isLeaving = child !== undefined && (decision === undefined || child.deleting);
    const hasOthers = child !== undefined && decision?.verb === 'none';
    if (step.verb !== 'wait' && (isLeaving || hasOthers)) {
      const write = withdraw(world, { child, step, isFirst: before === undefined, isLeaving });
      last.set(name, write);
      return write;
    }
    if (step.verb !== 'apply' || !isApplied(decision))
      return waiting(world, name, [child, decision]);
    const own = isApplied(before) ? before : undefined;
    const write = withPaths(decision, { paths: step.paths, observed: child, before: own });
    last.set(name, write);
    if (step.paths.length > 0 || exposure.patternsIn(decision.fields).length > 0) return write;
    return [write, withPaths(decision, { paths: [], observed: undefined, before: write })];
  });
}

/** Leaves all objects as they are, but deletes blocked objects that lost their authorization. */
function blocked({ world, desired }: Given): readonly Decision[] {
  const decisions = desired
    .filter(({ child }) => child.blocked !== undefined)
    .map(({ child, decision, observed }): Decision => {
      const isOpen =
        !exposure.isPublic(child) &&
        isLasting(world.resource, observed) &&
        exposure.patternsOf(observed.facts) !== undefined &&
        observed.facts.authUrl === undefined;
      return isOpen ? { ...decision, verb: 'delete', lock: versionOf(observed) } : decision;
    });
  return decisions.toSorted((a, b) => Number(b.verb === 'delete') - Number(a.verb === 'delete'));
}

const exceedsLimits = ({ live }: Given): boolean =>
  live.length > maxObjects ||
  live.reduce((sum, child) => sum + patternsOf(child).length, 0) > maxPaths;

/** Blocks all writes except repairs. Also blocks one undesired object, so that the resource is always Stalled. */
function leaveUnchanged(
  { world, desired, live }: Given,
  repairs: readonly Update[],
): readonly Decision[] {
  const message = `the ${live.length} Ingresses of this resource exceed the limit of ${maxObjects} Ingresses or ${maxPaths} paths, so no path is exposed or withdrawn: delete the unwanted Ingresses, those without authorization first`;
  const why = { verb: 'block', reason: 'TooManyIngresses', message } as const;
  const repaired = new Set(repairs.map(({ child }) => child.name));
  const names = new Set(desired.map(({ decision }) => decision.child.name));
  const unwanted = live.filter(({ name }) => !names.has(name)).slice(0, 1);
  return [
    ...desired
      .filter(({ decision }) => !repaired.has(decision.child.name))
      .map(({ decision }) => (isApplied(decision) ? insteadOf(decision, why) : decision)),
    ...unwanted.map((one) => ({ ...aboutOf(world, one), ...why })),
  ];
}

/** Names the Ingresses that this run cannot write. It can still withdraw the paths of our Ingresses being deleted. */
const unwritableIn = ({ world, desired, live }: Given): ReadonlySet<string> =>
  new Set([
    ...live
      .filter((one) => one.unreadable !== undefined || world.possiblePaths.has(keyOf(one)))
      .map(({ name }) => name),
    ...desired
      .filter(({ decision: { verb } }) => ['wait', 'defer', 'block', 'fail'].includes(verb))
      .filter(({ observed }) => !(observed?.deleting && isOwn(world.resource, observed)))
      .map(({ decision }) => decision.child.name),
  ]);

/** Explains why an object is not up to date after all possible steps. */
function waiting(
  world: ContestedWorld,
  name: string,
  [observed, decision]: readonly [ObservedChild | undefined, Decision | undefined],
): Decision {
  const about = aboutOf(world, { type: ingress, name });
  const { child } = about;
  if (decision !== undefined && !isApplied(decision) && decision.verb !== 'none') return decision;
  if (observed?.unreadable !== undefined)
    return { ...about, ...unreadable(child, observed.unreadable) };
  const why = observed?.deleting ? beingDeleted(child) : exposurePending(child);
  return { ...about, verb: 'wait', ...why };
}

const isApplied = (decision: Decision | undefined): decision is Create | Update =>
  decision?.verb === 'create' || decision?.verb === 'update';
