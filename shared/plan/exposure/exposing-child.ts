import { isSameJson } from '../../canonical.ts';
import { present, valueAt } from '../../json.ts';
import type { ChildType } from '../../kinds/child-type.ts';
import * as exposure from '../../kinds/child-types/ingress.ts';
import { isWithin } from '../../kinds/impact.ts';
import { ownedType } from '../../kinds/kind.ts';
import { type JsonObject, keyOf } from '../../kubernetes.ts';
import {
  aboutOf,
  type Create,
  type Decision,
  type Update,
  versionOf,
} from '../decision/decision.ts';
import type { ContestedWorld } from '../drift/contest.ts';
import type { Difference } from '../drift/differences.ts';
import { type Entry, type ObservedChild, openEntry } from '../observed/observed.ts';
import { isOwn, type World } from '../observed/world.ts';
import type { ExposureStep, LivePaths } from './order.ts';

export const isExposing = (type: ChildType | undefined): boolean => type?.exposure === true;

export const isExposed = ({ kind, resource, children }: World): boolean =>
  kind.owns.some(isExposing) &&
  ([...children.values()].some((child) => isExposing(child.type) && isOwn(resource, child)) ||
    (resource.status.children ?? []).some((ref) => isExposing(ownedType(kind, ref))));

/** Restores annotations, labels, backends and everything else except the paths. */
export function repair(decision: Decision, observed: ObservedChild | undefined): readonly Update[] {
  if (decision.verb !== 'update' || observed === undefined) return [];
  const patterns = exposure.patternsOf(observed.facts) ?? [];
  if (patterns.length === 0) return [];
  const exposed = serving(decision, patterns.map(exposure.withoutMarker), observed);
  const differences = differencesOf(decision, { fields: exposed.fields, observed });
  return differences?.length === 0 ? [] : [{ ...decision, ...exposed, differences }];
}

function serving(
  { fields, kept }: Create | Update,
  paths: readonly string[],
  observed: ObservedChild | undefined,
): Pick<Update, 'fields' | 'kept'> {
  const served = (all: JsonObject) => exposure.withPaths(all, paths, observed?.facts);
  const all = kept && { ...kept, fields: served(kept.fields) };
  return { fields: served(fields), ...present({ kept: all }) };
}

/** Replaces the differences in paths that the dry run found, because this write may send other paths. */
function differencesOf(
  { differences }: Update,
  { fields, observed }: { readonly fields: JsonObject; readonly observed: ObservedChild },
): readonly Difference[] | undefined {
  const field = exposure.pathsField;
  const isOfPaths = ({ path }: Difference): boolean => isWithin(path, field);
  const from = observed.facts.rules;
  const to = valueAt(fields, ...field.split('.'));
  const writer = differences?.find(isOfPaths)?.writer;
  const paths = isSameJson(from, to) ? [] : [{ path: field, from, to, writer }];
  return differences && [...differences.filter((one) => !isOfPaths(one)), ...paths];
}

interface Move {
  readonly paths: readonly string[];
  readonly observed: ObservedChild | undefined;
  /** An earlier write of the same object in the plan. */
  readonly before: Create | Update | undefined;
}

/** Returns the write that makes a desired object expose exactly these paths. */
export function withPaths(
  decision: Create | Update,
  { paths, observed, before }: Move,
): Create | Update {
  const exposed = serving(decision, paths, observed);
  const { fields } = exposed;
  if (before === undefined) {
    if (decision.verb === 'create' || observed === undefined) return { ...decision, ...exposed };
    return { ...decision, ...exposed, differences: differencesOf(decision, { fields, observed }) };
  }
  const { type, child, namespace, needs, repeated } = decision;
  const path = exposure.pathsField;
  const [from, to] = [before.fields, fields].map((one) => valueAt(one, ...path.split('.')));
  const about = { type, child, namespace, ...present({ needs, repeated }) };
  const differences = [{ path, from, to, writer: undefined }];
  return { ...about, verb: 'update', lock: 'previous', ...exposed, differences };
}

interface Withdrawal {
  readonly child: ObservedChild;
  readonly step: Exclude<ExposureStep, { readonly verb: 'wait' }>;
  readonly isFirst: boolean;
  /** True if the object is undesired or being deleted; false if only other managers' paths are withdrawn. */
  readonly isLeaving: boolean;
}

export function withdraw(world: ContestedWorld, given: Withdrawal): Decision {
  const { child, step, isFirst, isLeaving } = given;
  const about = aboutOf(world, child);
  const lock = isFirst ? versionOf(child) : 'previous';
  if (step.verb === 'delete') return { ...about, verb: 'delete', lock };
  const path = exposure.pathsField;
  const from = child.facts.rules;
  const to = exposure.keeping(child.facts, step.paths);
  const setter = isLeaving ? undefined : child.others.find(setsPaths);
  const writer = setter && { manager: setter.manager, time: setter.time };
  const difference = { path, from, to, writer };
  const attempt = { verb: 'update', observed: child, differences: [difference] } as const;
  const isAgain = world.detectFight?.({ ...about, ...attempt }) !== undefined;
  return { ...about, verb: 'withdraw', lock, difference, ...(isAgain ? { repeated: true } : {}) };
}

const setsPaths = (entry: Entry): boolean =>
  valueAt(openEntry(entry).value, ...exposure.pathsField.split('.')) !== undefined;

export function livePaths({ possiblePaths }: World, live: ObservedChild): LivePaths {
  const followed = possiblePaths.get(keyOf(live));
  const patterns = followed === undefined ? patternsOf(live) : [...followed];
  const byPath = new Map(patterns.map((one) => [exposure.withoutMarker(one), one]));
  return {
    name: live.name,
    deleting: live.deleting,
    paths: patterns.map(exposure.withoutMarker),
    precedenceOf: (path) => exposure.markerIn(byPath.get(path) ?? ''),
  };
}

/** Returns the live patterns; `*`, which matches any request, if the paths were not read. */
export const patternsOf = ({
  type,
  facts,
}: Pick<ObservedChild, 'type' | 'facts'>): readonly string[] =>
  (isExposing(type) ? exposure.patternsOf(facts) : undefined) ?? ['*'];
