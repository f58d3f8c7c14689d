import type { Exposure } from '../exposure/exposure.ts';
import { type ExposureStep, exposureSteps, type LivePaths } from '../exposure/order.ts';
import { valueAt } from '../json.ts';
import { type ChildType, typeOf } from '../kinds/child-types.ts';
import {
  beingDeleted,
  type Create,
  type Decided,
  type Decision,
  exposurePending,
  isWriteDecision,
  type Update,
  unreadable,
  versionOf,
} from './decision.ts';
import { actsOnForeign, foreignTarget, waitingForOther } from './dependencies.ts';
import { drift } from './drift.ts';
import type { ObservedChild } from './observed.ts';
import { isOwn } from './ownership.ts';
import { keyOf, refTo, type World } from './world.ts';

/** More objects and paths than any kind makes, even together with those of earlier versions. */
const maxObjects = 256;
const maxPaths = 1024;

/** A child type whose objects decide which requests are admitted. */
export type ExposingType = ChildType & { readonly exposure: Exposure };

export const isExposing = (type: ChildType | undefined): type is ExposingType =>
  type?.exposure !== undefined;

interface Given {
  readonly type: ExposingType;
  readonly world: World;
  /** The wanted objects. */
  readonly wanted: readonly Decided[];
  /** The live objects that the resource owns or wants. */
  readonly live: readonly ObservedChild[];
}

/**
 * The decisions about the objects of one exposing type, in the order in which they are safe.
 *
 * Flow: an object whose target is foreign is deleted. If it required authorization, all others are
 * deleted too, the shallowest path first: a shallower path would answer its requests and require less.
 */
export function exposures(all: readonly Decided[], given: Given): readonly Decision[] {
  const { type, world, wanted } = given;
  const misdirected = wanted.filter(({ child }) => foreignTarget(child, all) !== undefined);
  const [first] = misdirected;
  if (first === undefined) return inOrder(given);
  const closing = misdirected.some(({ child }) => !type.exposure.isPublic(child))
    ? wanted
    : misdirected;
  const target = foreignTarget(first.child, all) ?? first.decision.child;
  const isClosing = ({ name }: { readonly name: string }): boolean =>
    closing.some(({ child }) => child.name === name);
  const steps = inOrder({
    ...given,
    wanted: wanted.filter((one) => !closing.includes(one)),
    live: given.live.filter((one) => isOwn(world.resource, one) || !isClosing(one)),
  });
  const written = new Set(steps.map(({ child }) => child.name));
  return [
    ...steps.map((step) =>
      step.verb === 'delete' && isClosing(step.child)
        ? { ...step, ...actsOnForeign(step.child, target) }
        : step,
    ),
    ...closing
      .filter(({ child }) => !written.has(child.name))
      .map(({ decision }) =>
        isWriteDecision(decision) ? waitingForOther(decision, target) : decision,
      ),
  ];
}

/**
 * Turns the decisions about wanted objects, and the unwanted objects, into writes that fail closed.
 *
 * Flow: if an object is blocked, nothing is written, except that a blocked one without authorization is
 * deleted. Otherwise everything but the paths is repaired; then come the steps of `exposureSteps`, one
 * decision each; then the objects without a step.
 * Guarantees: the last write of a wanted object makes it exactly as wanted. Live objects that the
 * resource does not own count in the order and are never written. With more objects or paths than the
 * limits no path is exposed or withdrawn, so nothing can be opened in a wrong order.
 */
function inOrder(given: Given): readonly Decision[] {
  const { type, world, wanted, live } = given;
  if (wanted.some(({ child }) => child.blocked !== undefined)) return blocked(given);
  const observed = new Map(live.map((child) => [child.name, child]));
  const decisions = new Map(wanted.map(({ decision }) => [decision.child.name, decision]));
  const repairs = wanted.flatMap(({ decision }) =>
    world.possiblePaths?.has(keyOf(decision.child))
      ? []
      : repair(type, decision, observed.get(decision.child.name)),
  );
  const last = new Map<string, Create | Update>(repairs.map((one) => [one.child.name, one]));
  if (exceedsLimits(given)) return [...repairs, ...leaveUnchanged(given, last)];
  const steps = exposureSteps(
    live.map((one) => livePaths(type, world, one)),
    wanted.map(({ child }) => ({
      name: child.name,
      isPublic: type.exposure.isPublic(child),
      paths: type.exposure.textsIn(child.body).map(type.exposure.pathOf),
    })),
    unwritableIn(given),
  );
  const withdrawn = new Set<string>();
  const moves = steps.map((step): Decision => {
    const { name } = step;
    const [child, decision] = [observed.get(name), decisions.get(name)];
    const isLeaving = child !== undefined && (decision === undefined || child.deleting);
    if (step.verb !== 'wait' && isLeaving) {
      const isFirst = !withdrawn.has(name);
      withdrawn.add(name);
      return withdraw(type, { child, step, isFirst });
    }
    if (step.verb !== 'apply' || !isApplied(decision))
      return waiting(given, { name, observed: child, decision });
    const write = withPaths(type, decision, {
      paths: step.paths,
      observed: child,
      before: last.get(name),
    });
    last.set(name, write);
    return write;
  });
  const named = new Set([...last.keys(), ...steps.map(({ name }) => name)]);
  const rest = wanted.filter(({ decision }) => !named.has(decision.child.name));
  return [...repairs, ...moves, ...rest.map(({ decision }) => decision)];
}

/** All objects stay as they are, except that a blocked one that lost its authorization is deleted. */
function blocked({ type, world, wanted, live }: Given): readonly Decision[] {
  const decisions = wanted
    .filter(({ child }) => child.blocked !== undefined)
    .map(({ decision }): Decision => {
      const { child, namespace } = decision;
      const own = live.find((one) => one.name === child.name && isOwn(world.resource, one));
      const isClosed =
        own === undefined ||
        own.deleting ||
        type.exposure.textsOf(own.facts) === undefined ||
        type.exposure.isProtected(own.facts);
      return isClosed ? decision : { type, child, namespace, verb: 'delete', lock: versionOf(own) };
    });
  return decisions.toSorted((a, b) => Number(b.verb === 'delete') - Number(a.verb === 'delete'));
}

const exceedsLimits = ({ live }: Given): boolean =>
  live.length > maxObjects ||
  live.reduce((sum, child) => sum + textsOf(child).length, 0) > maxPaths;

/** Nothing but the repairs is written; other writes and unwanted objects are reported as blocked. */
function leaveUnchanged(
  { type, world: { resource }, wanted, live }: Given,
  repaired: ReadonlyMap<string, Decision>,
): readonly Decision[] {
  const { plural } = type.exposure;
  const message = `${live.length} ${plural} belong to this resource, more than ${maxObjects}, or they have more than ${maxPaths} paths, so no path is exposed or withdrawn: delete the unwanted ones, those without authorization first`;
  const why = { verb: 'block', reason: `TooMany${plural}`, message } as const;
  const { namespace } = resource;
  const names = new Set(wanted.map(({ decision }) => decision.child.name));
  const unwanted = live.find(({ name }) => !names.has(name));
  const about = (name: string) => ({ type, child: refTo(type, name), namespace });
  return [
    ...wanted
      .filter(({ decision }) => !repaired.has(decision.child.name))
      .map(({ decision }) =>
        isApplied(decision) ? { ...about(decision.child.name), ...why } : decision,
      ),
    ...(unwanted === undefined ? [] : [{ ...about(unwanted.name), ...why }]),
  ];
}

/** Names of objects that must not be written. One of ours that is being deleted may, as it can lose paths. */
const unwritableIn = ({ world, wanted, live }: Given): ReadonlySet<string> =>
  new Set([
    ...live
      .filter((one) => one.unreadable !== undefined || world.possiblePaths?.has(keyOf(one)))
      .map(({ name }) => name),
    ...wanted
      .filter(({ decision: { verb } }) => ['wait', 'defer', 'block', 'fail'].includes(verb))
      .filter(({ observed }) => !(observed?.deleting && isOwn(world.resource, observed)))
      .map(({ decision }) => decision.child.name),
  ]);

interface Waiting {
  readonly name: string;
  readonly observed: ObservedChild | undefined;
  readonly decision: Decision | undefined;
}

/** Why an object is not as wanted after all possible steps. */
function waiting({ type, world }: Given, { name, observed, decision }: Waiting): Decision {
  const child = refTo(type, name);
  const about = { type, child, namespace: world.resource.namespace };
  const givenUp = world.possiblePaths?.has(keyOf(child))
    ? world.givenUp?.get(keyOf(child))
    : undefined;
  if (givenUp !== undefined) return { ...about, verb: 'fail', ...givenUp };
  if (decision !== undefined && !isApplied(decision) && decision.verb !== 'none') return decision;
  if (observed?.unreadable !== undefined)
    return { ...about, ...unreadable(child, observed.unreadable) };
  const why = observed?.deleting ? beingDeleted(child) : exposurePending(child);
  return { ...about, verb: 'wait', ...why };
}

const isApplied = (decision: Decision | undefined): decision is Create | Update =>
  decision?.verb === 'create' || decision?.verb === 'update';

/** Makes everything but the paths as wanted: annotations, labels, backends. */
function repair(
  { exposure }: ExposingType,
  decision: Decision,
  observed: ObservedChild | undefined,
): readonly Update[] {
  if (decision.verb !== 'update' || observed === undefined) return [];
  const texts = exposure.textsOf(observed.facts) ?? [];
  if (texts.length === 0) return [];
  const fields = exposure.withPaths(decision.fields, texts.map(exposure.pathOf), observed.facts);
  const differences = drift(fields, observed);
  return differences.length === 0 ? [] : [{ ...decision, fields, differences }];
}

interface Move {
  readonly paths: readonly string[];
  readonly observed: ObservedChild | undefined;
  /** The earlier write of the same object in this plan. */
  readonly before: Create | Update | undefined;
}

/** The write of a wanted object, with these paths. */
function withPaths(
  { exposure }: ExposingType,
  decision: Create | Update,
  { paths, observed, before }: Move,
): Create | Update {
  const fields = exposure.withPaths(decision.fields, paths, observed?.facts);
  if (before === undefined)
    return decision.verb === 'update' && observed !== undefined
      ? { ...decision, fields, differences: drift(fields, observed) }
      : { ...decision, fields };
  const { type, child, namespace, needs, repeated } = decision;
  const path = exposure.field;
  const [from, to] = [before.fields, fields].map((one) => valueAt(one, ...path.split('.')));
  return {
    ...{ type, child, namespace, ...(needs && { needs }), ...(repeated && { repeated }) },
    verb: 'update',
    lock: 'previous',
    fields,
    differences: [{ path, from, to, writer: undefined }],
    handOver: undefined,
    removesIncompatible: false,
  };
}

interface Withdrawal {
  readonly child: ObservedChild;
  readonly step: Exclude<ExposureStep, { readonly verb: 'wait' }>;
  readonly isFirst: boolean;
}

/** One withdrawal step of an object that is unwanted or being deleted. */
function withdraw(type: ExposingType, { child, step, isFirst }: Withdrawal): Decision {
  const about = { type, child: refTo(type, child.name), namespace: child.namespace };
  const lock = isFirst ? versionOf(child) : 'previous';
  if (step.verb === 'delete') return { ...about, verb: 'delete', lock };
  const path = type.exposure.field;
  const from = type.exposure.valueOf(child.facts);
  const to = type.exposure.keeping(child.facts, step.paths);
  return { ...about, verb: 'withdraw', lock, difference: { path, from, to, writer: undefined } };
}

function livePaths(
  { exposure }: ExposingType,
  { possiblePaths }: World,
  live: ObservedChild,
): LivePaths {
  const followed = possiblePaths?.get(keyOf(live));
  const texts = followed === undefined ? textsOf(live) : [...followed];
  return {
    name: live.name,
    deleting: live.deleting,
    paths: texts.map(exposure.pathOf),
    precedence: exposure.precedenceOf(texts[0] ?? ''),
    precedences: new Map(
      texts.map((text) => [exposure.pathOf(text), exposure.precedenceOf(text)] as const),
    ),
  };
}

/** The texts of a live object's paths; if its paths were not kept, a text that matches any request. */
export function textsOf(
  child: Pick<ObservedChild, 'apiVersion' | 'kind' | 'facts'>,
): readonly string[] {
  const { exposure } = typeOf(child) ?? {};
  return exposure === undefined ? [] : (exposure.textsOf(child.facts) ?? [anyRequest]);
}

/** Not of the form our kinds write, so it counts as a path that answers any request. */
const anyRequest = '*';
