import { ingress } from '../kinds/child-types.ts';
import { authUrlAnnotation } from '../kinds/names.ts';
import { markIn, unmarked } from '../kinds/path-marks.ts';
import type { Json, JsonObject } from '../kubernetes.ts';
import {
  beingDeleted,
  type Decided,
  type Decision,
  exposurePending,
  unreadable,
} from './decision.ts';
import { drift } from './drift.ts';
import {
  type ExposureStep,
  exposureSteps,
  type LiveGate,
  type WantedGate,
} from './exposure-order.ts';
import type { ObservedChild, ObservedResource } from './observed.ts';
import { isOwn } from './ownership.ts';
import { keyOf, refTo, type Unsteady } from './world.ts';

interface Rule extends JsonObject {
  readonly http?: { readonly paths?: readonly Item[] };
}

interface Item extends JsonObject {
  readonly path?: string;
}

type Written = Extract<Decision, { readonly verb: 'create' | 'update' }>;

/** More Ingresses and paths than any list of endpoints makes, its earlier versions included. */
const maxDoors = 256;
const maxPaths = 1024;

/** What the order of exposures rests on. */
export interface Doors {
  /** The wanted Ingresses. */
  readonly decided: readonly Decided[];
  /** The live Ingresses that count. */
  readonly doors: readonly ObservedChild[];
  /** Those that others change without pause, by key. */
  readonly unsteady?: ReadonlyMap<string, Unsteady> | undefined;
}

/**
 * Turns the decisions about Ingresses, and our unwanted Ingresses, into writes that fail closed.
 *
 * Flow: one that is barred stops everything, and is deleted if it admits everybody; then whatever is
 * wrong beside the paths is put right; then the steps of `exposureSteps`, one decision each; what has
 * no step comes last.
 * Guarantees: the last write of a wanted Ingress makes it exactly as wanted; what is live and
 * not the resource's own counts in the order, and is never written. Of more Ingresses or paths than
 * are followed none gains or loses a path, so none opens what another one closed.
 */
export function exposureDecisions(resource: ObservedResource, given: Doors): readonly Decision[] {
  const { decided, doors, unsteady } = given;
  if (decided.some(({ child }) => child.blocked !== undefined)) return barred(resource, given);
  const live = new Map(doors.map((child) => [child.name, child]));
  const wanted = new Map(decided.map(({ decision }) => [decision.child.name, decision]));
  const repairs = decided.flatMap(({ decision }) =>
    unsteady?.has(keyOf(decision.child)) ? [] : repair(decision, live.get(decision.child.name)),
  );
  const last = new Map(repairs.map((one) => [one.child.name, one]));
  if (isTooMuch(doors)) return [...repairs, ...untouched(resource, given, last)];
  const gates = doors.map((door) => liveGate(door, unsteady?.get(keyOf(door))));
  const steps = exposureSteps(gates, decided.map(wantedGate), stuckIn(resource, given));
  const moved = new Set<string>();
  const moves = steps.map((step): Decision => {
    const { name } = step;
    const [observed, decision] = [live.get(name), wanted.get(name)];
    if (step.verb === 'wait') return waiting(resource, { name, observed, decision, unsteady });
    const follows = moved.has(name);
    moved.add(name);
    if (observed !== undefined && (decision === undefined || observed.deleting))
      return leave(observed, step, follows);
    if (decision === undefined || !isWritten(decision) || step.verb !== 'apply')
      return waiting(resource, { name, observed, decision, unsteady });
    const write = move(decision, { paths: step.paths, observed, before: last.get(name) });
    last.set(name, write);
    return write;
  });
  const named = new Set([...last.keys(), ...steps.map(({ name }) => name)]);
  const rest = decided.filter(({ decision }) => !named.has(decision.child.name));
  return [...repairs, ...moves, ...rest.map(({ decision }) => decision)];
}

/** If one cannot be written as required, all stay as they are. */
function barred(resource: ObservedResource, { decided, doors }: Doors): readonly Decision[] {
  const own = doors.filter((child) => isOwn(resource, child));
  return decided
    .filter(({ child }) => child.blocked !== undefined)
    .map((one) =>
      closed(
        one,
        own.find(({ name }) => name === one.child.name),
      ),
    )
    .toSorted((a, b) => Number(b.verb === 'delete') - Number(a.verb === 'delete'));
}

const isTooMuch = (doors: readonly ObservedChild[]): boolean =>
  doors.length > maxDoors ||
  doors.reduce((sum, door) => sum + doorPaths(door).length, 0) > maxPaths;

/** Nothing is written but what was put right; what would be says why it is not, and so does one that is not wanted. */
function untouched(
  { namespace }: ObservedResource,
  { decided, doors }: Doors,
  repaired: ReadonlyMap<string, Decision>,
): readonly Decision[] {
  const message = `${doors.length} Ingresses belong to this resource, more than ${maxDoors}, or they have more than ${maxPaths} paths: none of them is opened or closed; delete those that it does not want, the ones without authorization first`;
  const blocked = { verb: 'block', reason: 'TooManyIngresses', message } as const;
  const names = new Set(decided.map(({ decision }) => decision.child.name));
  const unwanted = doors.find(({ name }) => !names.has(name));
  const about = (name: string) => ({ type: ingress, child: refTo(ingress, name), namespace });
  return [
    ...decided
      .filter(({ decision }) => !repaired.has(decision.child.name))
      .map(({ decision }) =>
        isWritten(decision) ? { ...about(decision.child.name), ...blocked } : decision,
      ),
    ...(unwanted === undefined ? [] : [{ ...about(unwanted.name), ...blocked }]),
  ];
}

/** Names of those that must not be written; one of ours that is being deleted can still lose paths. */
const stuckIn = (
  resource: ObservedResource,
  { decided, doors, unsteady }: Doors,
): ReadonlySet<string> =>
  new Set([
    ...doors
      .filter((door) => door.unreadable !== undefined || unsteady?.has(keyOf(door)))
      .map(({ name }) => name),
    ...decided
      .filter(({ decision: { verb } }) => ['wait', 'defer', 'block'].includes(verb))
      .filter(({ observed }) => !(observed?.deleting && isOwn(resource, observed)))
      .map(({ decision }) => decision.child.name),
  ]);

interface Waiting extends Pick<Doors, 'unsteady'> {
  readonly name: string;
  readonly observed: ObservedChild | undefined;
  readonly decision: Decision | undefined;
}

/** Why an Ingress is not as wanted after everything possible was done. */
function waiting(
  { namespace }: ObservedResource,
  { name, observed, decision, unsteady }: Waiting,
): Decision {
  const child = refTo(ingress, name);
  const about = { type: ingress, child, namespace };
  const restless = unsteady?.get(keyOf(child));
  if (restless !== undefined) {
    const { reason, message } = restless;
    return { ...about, verb: 'wait', reason, message };
  }
  if (decision !== undefined && !isWritten(decision) && decision.verb !== 'none') return decision;
  if (observed?.unreadable !== undefined)
    return { ...about, ...unreadable(child, observed.unreadable) };
  const why = observed?.deleting ? beingDeleted(child) : exposurePending(child);
  return { ...about, verb: 'wait', ...why };
}

/** What is live and protected stays as it is; what somebody opened is closed. */
function closed({ decision }: Decided, own: ObservedChild | undefined): Decision {
  if (own === undefined || own.deleting || isOpaque(own) || own.facts.authUrl !== undefined)
    return decision;
  const { type, child, namespace } = decision;
  const { uid, resourceVersion } = own;
  return { type, child, namespace, verb: 'delete', uid, resourceVersion };
}

const isWritten = (decision: Decision): decision is Written =>
  decision.verb === 'create' || decision.verb === 'update';

/** Everything but the paths as wanted: an annotation somebody removed, a label, a backend. */
function repair(decision: Decision, observed: ObservedChild | undefined): readonly Written[] {
  const paths = observed === undefined ? [] : pathsOf(rulesOf(observed));
  if (decision.verb !== 'update' || observed === undefined || paths.length === 0) return [];
  const fields = withPaths(decision.fields, paths.map(unmarked), observed);
  const differences = drift(fields, observed);
  return differences.length === 0 ? [] : [{ ...decision, fields, differences }];
}

interface Move {
  readonly paths: readonly string[];
  readonly observed: ObservedChild | undefined;
  readonly before: Written | undefined;
}

function move(decision: Written, { paths, observed, before }: Move): Written {
  const fields = withPaths(decision.fields, paths, observed);
  if (before === undefined) {
    return decision.verb === 'update' && observed !== undefined
      ? { ...decision, fields, differences: drift(fields, observed) }
      : { ...decision, fields };
  }
  const { type, child, namespace, needs, repeated } = decision;
  const [from, to] = [before.fields, fields].map((one) => rulesIn(one) as readonly Json[]);
  return {
    ...{ type, child, namespace, ...(needs && { needs }), ...(repeated && { repeated }) },
    verb: 'update',
    ...{ uid: observed?.uid ?? '', resourceVersion: observed?.resourceVersion ?? '' },
    follows: true,
    fields,
    differences: [{ path: 'spec.rules', from, to, writer: undefined }],
    handOver: undefined,
    partners: false,
  };
}

/** One step of an Ingress that will be deleted. */
function leave(
  observed: ObservedChild,
  step: Exclude<ExposureStep, { readonly verb: 'wait' }>,
  follows: boolean,
): Decision {
  const { namespace, uid, resourceVersion } = observed;
  const about = { type: ingress, child: refTo(ingress, observed.name), namespace };
  const lock = { uid, resourceVersion, ...(follows ? { follows } : {}) };
  if (step.verb === 'delete') return { ...about, verb: 'delete', ...lock };
  const rules = keeping(rulesOf(observed), step.paths);
  return { ...about, verb: 'withdraw', ...lock, rules: rules.length > 0 ? rules : nowhere };
}

/** The server wants a rule: for a name that no request has (RFC 6761), and without a path. */
const nowhere: readonly Json[] = [{ host: 'withdrawn.invalid' }];

const liveGate = (observed: ObservedChild, unsteady: Unsteady | undefined): LiveGate => {
  const texts = unsteady === undefined ? doorPaths(observed) : [...unsteady.paths];
  return {
    name: observed.name,
    deleting: observed.deleting,
    paths: texts.map(unmarked),
    precedence: markIn(texts[0] ?? ''),
    precedences: new Map(texts.map((text) => [unmarked(text), markIn(text)] as const)),
  };
};

const wantedGate = ({ child }: Decided): WantedGate => ({
  name: child.name,
  isPublic: child.annotations?.[authUrlAnnotation] === undefined,
  paths: pathsOf(rulesIn(child.body)).map(unmarked),
});

const rulesOf = ({ facts }: Pick<ObservedChild, 'facts'>): readonly Rule[] =>
  (facts.rules ?? []) as readonly Rule[];

const rulesIn = (fields: JsonObject): readonly Rule[] =>
  (fields.spec as { readonly rules?: readonly Rule[] } | undefined)?.rules ?? [];

/** The texts of the paths that a live Ingress has. */
export const doorPaths = (door: Pick<ObservedChild, 'facts'>): readonly string[] =>
  isOpaque(door) ? [anyPath] : pathsOf(rulesOf(door));

/** Its rules were not kept, so its paths are unknown. */
export const isOpaque = ({ facts }: Pick<ObservedChild, 'facts'>): boolean =>
  facts.rules === undefined;

/** Not of our form, so it counts as serving any request. */
const anyPath = '*';

const pathsOf = (rules: readonly Rule[]): readonly string[] =>
  rules.flatMap(({ http }) => (http?.paths ?? []).flatMap(({ path }) => path ?? []));

/** The same Ingress with other paths; the items of one Ingress differ only in their path. */
function withPaths(
  fields: JsonObject,
  paths: readonly string[],
  live: ObservedChild | undefined,
): JsonObject {
  const [rule] = rulesIn(fields);
  // A kind may write more than one rule, or another backend for each path: what is wanted is sent whole.
  if (isSameText(pathsOf(rulesIn(fields)).map(unmarked), paths)) return fields;
  const texts = [
    ...pathsOf(rulesIn(fields)),
    ...(live === undefined ? [] : pathsOf(rulesOf(live))),
  ];
  // The first text of each path counts.
  const textsByPath = new Map(texts.toReversed().map((text) => [unmarked(text), text]));
  const textOf = (path: string): string => textsByPath.get(path) ?? path;
  const http = { paths: paths.map((path) => ({ ...rule?.http?.paths?.[0], path: textOf(path) })) };
  return { ...fields, spec: { ...(fields.spec as JsonObject), rules: [{ ...rule, http }] } };
}

const isSameText = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((path, at) => path === b[at]);

function keeping(rules: readonly Rule[], paths: readonly string[]): readonly Json[] {
  const stay = new Set(paths);
  return rules.flatMap((rule): readonly Json[] => {
    const kept = (rule.http?.paths ?? []).filter(({ path = '' }) => stay.has(unmarked(path)));
    return kept.length === 0 ? [] : [{ ...rule, http: { ...rule.http, paths: kept } }];
  });
}
