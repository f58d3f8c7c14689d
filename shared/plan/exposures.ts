import { ingress } from '../kinds/child-types.ts';
import { authUrlAnnotation } from '../kinds/names.ts';
import { markIn, unmarked } from '../kinds/path-marks.ts';
import type { Json, JsonObject } from '../kubernetes.ts';
import { beingDeleted, type Decided, type Decision, unreadable } from './decision.ts';
import { drift } from './drift.ts';
import {
  type ExposureStep,
  exposureSteps,
  type LiveGate,
  type WantedGate,
} from './exposure-order.ts';
import type { ObservedChild, ObservedResource } from './observed.ts';
import { isOwn } from './ownership.ts';
import { refTo } from './world.ts';

interface Rule extends JsonObject {
  readonly http?: { readonly paths?: readonly Item[] };
}

interface Item extends JsonObject {
  readonly path?: string;
}

type Written = Extract<Decision, { readonly verb: 'create' | 'update' }>;

/**
 * Turns what was decided about Ingresses, and those of ours nobody wants, into writes that fail closed.
 *
 * Flow: one that is barred stops everything, and goes if it lets in whoever comes; then whatever is
 * wrong beside the paths is put right; then the steps of `exposureSteps`, one decision each; what has
 * no step comes last.
 * Guarantees: the last write of a wanted Ingress brings exactly what is wanted of it; what is live and
 * not the resource's own counts in the order, and is never written.
 */
export function exposureDecisions(
  resource: ObservedResource,
  decided: readonly Decided[],
  doors: readonly ObservedChild[],
): readonly Decision[] {
  const live = new Map(doors.map((child) => [child.name, child]));
  const barred = decided.filter(({ child }) => child.blocked !== undefined);
  if (barred.length > 0) {
    const own = doors.filter((child) => isOwn(resource, child));
    const ends = barred.map((one) =>
      closed(
        one,
        own.find(({ name }) => name === one.child.name),
      ),
    );
    return ends.toSorted((a, b) => Number(b.verb === 'delete') - Number(a.verb === 'delete'));
  }
  const wanted = new Map(decided.map(({ decision }) => [decision.child.name, decision]));
  const repairs = decided.flatMap(({ decision }) =>
    repair(decision, live.get(decision.child.name)),
  );
  const last = new Map(repairs.map((one) => [one.child.name, one]));
  const moves: Decision[] = [];
  for (const step of exposureSteps(doors.map(liveGate), decided.map(wantedGate))) {
    const observed = live.get(step.name);
    const decision = wanted.get(step.name);
    const before = last.get(step.name);
    if (decision !== undefined && isWritten(decision) && step.verb === 'apply') {
      const write = move(decision, { paths: step.paths, observed, before });
      last.set(step.name, write);
      moves.push(write);
    } else if (decision !== undefined) {
      // It stands in the way here: what has to come after it waits, too.
      return [...repairs, ...moves, decision];
    } else if (observed !== undefined) {
      moves.push(
        leave(
          observed,
          step,
          moves.some(({ child }) => child.name === step.name),
        ),
      );
    }
  }
  const rest = decided.filter(({ decision }) => !last.has(decision.child.name));
  return [...repairs, ...moves, ...rest.map(({ decision }) => decision)];
}

/** What is live and protected stays as it is; what somebody opened is closed. */
function closed({ decision }: Decided, own: ObservedChild | undefined): Decision {
  if (own === undefined || own.deleting || own.facts.authUrl !== undefined) return decision;
  const { type, child, namespace } = decision;
  const { uid, resourceVersion } = own;
  return { type, child, namespace, verb: 'delete', uid, resourceVersion };
}

const isWritten = (decision: Decision): decision is Written =>
  decision.verb === 'create' || decision.verb === 'update';

/** Everything but the paths as wanted: an annotation somebody took off, a label, a backend. */
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

/** One step of an Ingress that nobody wants any more. */
function leave(observed: ObservedChild, step: ExposureStep, follows: boolean): Decision {
  const { namespace, uid, resourceVersion } = observed;
  const child = refTo(ingress, observed.name);
  const about = { type: ingress, child, namespace };
  if (observed.unreadable !== undefined)
    return { ...about, ...unreadable(child, observed.unreadable) };
  if (step.verb === 'wait') return { ...about, verb: 'wait', ...beingDeleted(child) };
  const lock = { uid, resourceVersion, ...(follows ? { follows } : {}) };
  if (step.verb === 'delete') return { ...about, verb: 'delete', ...lock };
  return { ...about, verb: 'withdraw', ...lock, rules: keeping(rulesOf(observed), step.paths) };
}

const liveGate = (observed: ObservedChild): LiveGate => ({
  name: observed.name,
  // One that cannot be read is not written either: what has to come after it waits.
  deleting: observed.deleting || observed.unreadable !== undefined,
  paths: pathsOf(rulesOf(observed)).map(unmarked),
  precedence: markIn(pathsOf(rulesOf(observed))[0] ?? ''),
  precedences: new Map(
    pathsOf(rulesOf(observed)).map((text) => [unmarked(text), markIn(text)] as const),
  ),
});

const wantedGate = ({ child }: Decided): WantedGate => ({
  name: child.name,
  isPublic: child.annotations?.[authUrlAnnotation] === undefined,
  paths: pathsOf(rulesIn(child.body)).map(unmarked),
});

const rulesOf = ({ facts }: ObservedChild): readonly Rule[] =>
  (facts.rules ?? []) as readonly Rule[];

const rulesIn = (fields: JsonObject): readonly Rule[] =>
  (fields.spec as { readonly rules?: readonly Rule[] } | undefined)?.rules ?? [];

const pathsOf = (rules: readonly Rule[]): readonly string[] =>
  rules.flatMap(({ http }) => (http?.paths ?? []).flatMap(({ path }) => path ?? []));

/** The same Ingress with other paths; the items of one Ingress differ in nothing but their path. */
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
