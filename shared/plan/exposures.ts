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

/** More objects and paths than any kind makes, its earlier versions included. */
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
  /** The live objects that count. */
  readonly live: readonly ObservedChild[];
}

/**
 * The decisions about the objects of one exposing type, in the order in which they are safe.
 *
 * Flow: what acts on another's object is deleted; where that required authorization, so are all the
 * others, the shallowest path first, as its requests would fall through to one that requires less.
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
 * Turns the decisions about wanted objects, and the unwanted ones, into writes that fail closed.
 *
 * Flow: one that is blocked stops everything, and is deleted if it admits everybody; then whatever is
 * wrong beside the paths is repaired; then the steps of `exposureSteps`, one decision each; what has
 * no step comes last.
 * Guarantees: the last write of a wanted object makes it exactly as wanted; what is live and
 * not the resource's own counts in the order, and is never written. Of more objects or paths than
 * are followed none gains or loses a path, so none opens what another one closed.
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

/** If one cannot be written as required, all stay as they are; but one that lost its authorization is deleted. */
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

/** Nothing but the repairs is written; what would be, and what is not wanted, is reported. */
function leaveUnchanged(
  { type, world: { resource }, wanted, live }: Given,
  repaired: ReadonlyMap<string, Decision>,
): readonly Decision[] {
  const { plural } = type.exposure;
  const message = `${live.length} ${plural} belong to this resource, more than ${maxObjects}, or they have more than ${maxPaths} paths: none of them is opened or closed; delete those that it does not want, the ones without authorization first`;
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

/** Names of those that must not be written; one of ours that is being deleted can still lose paths. */
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

/** Why an object is not as wanted after everything possible was done. */
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

/** Everything but the paths as wanted: an annotation somebody removed, a label, a backend. */
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

/** One step of an object that is unwanted or being deleted. */
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

/** The texts of the paths of a live object: of an exposing one whose paths were not kept, one that matches any request. */
export function textsOf(
  child: Pick<ObservedChild, 'apiVersion' | 'kind' | 'facts'>,
): readonly string[] {
  const { exposure } = typeOf(child) ?? {};
  return exposure === undefined ? [] : (exposure.textsOf(child.facts) ?? [anyRequest]);
}

/** Not of the form of our paths, so it counts as one that serves any request. */
const anyRequest = '*';
