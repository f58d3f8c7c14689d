import { AssertionError } from 'node:assert';
import { type Child, titleOfChild } from '../../shared/kinds/child.ts';
import { isSameType, type JsonObject, titleOf } from '../../shared/kubernetes.ts';
import { immutableReason } from '../../shared/plan/decision/reasons.ts';
import type { Preview } from '../../shared/preview/preview.ts';
import { definitionType } from '../../shared/rollout/pause.ts';
import { truncated } from '../difference.ts';
import { breach, type Law, laws } from '../law.ts';
import { namespaceOfChild, type RehearsedResource, rehearse, settleResource } from '../rehearse.ts';
import { type LiveObject, RefusedError } from '../user.ts';
import { type How, patchesOf } from './field-changes.ts';
import { namedFields } from './named-fields.ts';
import {
  type ChildOfSubject,
  differencesIn,
  find,
  heldBy,
  look,
  type Pristine,
  read,
  tidy,
} from './pristine.ts';

/** A change that could not be tested: to a child, to one of its fields, or to an object that the kind reads. */
export interface SkippedChange {
  readonly child: string;
  /** The field; undefined for a change to the whole child. */
  readonly field?: string;
  readonly how: How | 'deleted';
  readonly why: string;
}

export interface Drifted {
  readonly repaired: number;
  readonly skipped: readonly SkippedChange[];
}

/**
 * Changes and removes every field that we set in a child, deletes the child, and requires that a run repairs
 * each change.
 *
 * Flow: changes all fields of a group at once, and lets one run repair them. Fields that the API server refuses to
 * change, or that the plan does not name, are tried again in smaller groups, down to single fields.
 */
export async function driftOf(subject: RehearsedResource, child: Child): Promise<Drifted> {
  if (await hasEnded({ subject, child }))
    return { repaired: 0, skipped: [{ child: titleOfChild(child), how: 'deleted', why: ended }] };
  const pristine: Pristine = { subject, child, live: await read({ subject, child }) };
  const fields = heldBy(pristine, pristine.live);
  const hows = ['changed', 'removed'] as const;
  const changes = { changed: fields, removed: fields.filter(({ isDropped }) => !isDropped) };
  const reasons = { changed: new Map<string, string>(), removed: new Map<string, string>() };
  for (const how of hows)
    for (const group of Map.groupBy(changes[how], ({ group }) => group).values())
      for (const [path, why] of await disturbAll(pristine, group.map(pathOf), how))
        reasons[how].set(path, why);
  const title = titleOfChild(child);
  const skipped: SkippedChange[] = fields.flatMap(({ path: field }) =>
    hows.flatMap((how) => {
      const why = reasons[how].get(field);
      return why === undefined ? [] : [{ child: title, field, how, why }];
    }),
  );
  const repaired = changes.changed.length + changes.removed.length - skipped.length;
  const why = await deleted(pristine);
  if (why !== undefined) skipped.push({ child: title, how: 'deleted', why });
  return { repaired, skipped };
}

const pathOf = ({ path }: { readonly path: string }): string => path;

const ended = 'it is complete';

/** True for a Job that is complete or gone for good. Such a Job is not tested: Kubernetes may delete it at any time. */
async function hasEnded(place: ChildOfSubject): Promise<boolean> {
  const { type, step, body } = place.child;
  if (step === undefined && type.expires?.(body) !== true) return false;
  const live = await find(place);
  return live === undefined || type.complete?.(live) === true;
}

/** Returns a reason for each field that could not be changed. */
async function disturbAll(
  pristine: Pristine,
  paths: readonly string[],
  how: How,
): Promise<ReadonlyMap<string, string>> {
  const [path, ...others] = paths;
  if (path === undefined) return new Map();
  if (others.length === 0) {
    const why = await disturb(pristine, path, how);
    return new Map(why === undefined ? [] : [[path, why]]);
  }
  const { repaired, notStored, breach: broken } = await disturbTogether(pristine, paths, how);
  const rest = paths.filter((one) => !repaired.has(one) && !notStored.has(one));
  const half = Math.ceil(rest.length / 2);
  const parts = [
    ...[...notStored].map((one) => [one]),
    ...(rest.length < paths.length ? [rest] : [rest.slice(0, half), rest.slice(half)]),
  ];
  const reasons: (readonly [string, string])[] = [];
  for (const part of parts) reasons.push(...(await disturbAll(pristine, part, how)));
  if (broken !== undefined) throw broken;
  return new Map(reasons);
}

interface Together {
  /** Fields that the plan named and the run restored. */
  readonly repaired: ReadonlySet<string>;
  /** Fields whose new value the API server did not store. It may accept another value. */
  readonly notStored: ReadonlySet<string>;
  /** The error for a broken law. If a smaller group also breaks a law, the error of that group is thrown instead. */
  readonly breach?: AssertionError;
}

const none: Together = { repaired: new Set(), notStored: new Set() };

async function disturbTogether(
  pristine: Pristine,
  paths: readonly string[],
  how: How,
): Promise<Together> {
  const { live, fields } = await look(pristine);
  const operations = paths
    .flatMap((path) => fields.get(path) ?? [])
    .flatMap((field) => patchesOf(field, how).slice(0, 1))
    .toSorted(lastFirst);
  const { changed } = await attempt(pristine, operations);
  if (changed === undefined) return none;
  const differing = new Set(differencesIn(pristine, live, changed).map(pathOf));
  const disturbed = paths.filter((one) => differing.has(one));
  const notStored = new Set(paths.filter((one) => !differing.has(one)));
  let repaired = none.repaired;
  try {
    if (disturbed.length > 0) {
      const what = `${truncated(disturbed.join(', '))} were ${how}`;
      const { preview, refusal } = await requireRestored(pristine, laws.repaired, what);
      if (refusal !== undefined) return none;
      repaired = namedFields(disturbed, differencesFor(pristine.child, preview));
    }
    await tidy(pristine);
    return { repaired, notStored };
  } catch (error) {
    if (!(error instanceof AssertionError)) throw error;
    await tidy(pristine);
    // Runs once more, so that we own the restored fields again.
    await rehearse(pristine.subject);
    return { ...none, breach: error };
  }
}

const actionsFor = (child: Child, { resources }: Preview) =>
  resources
    .flatMap(({ actions }) => actions)
    .filter((action) => titleOf(action.child) === titleOfChild(child));

const differencesFor = (child: Child, preview: Preview): readonly string[] =>
  actionsFor(child, preview).flatMap(({ differences }) => differences.map(pathOf));

/** Sorts by descending path: removing an item must not move items that later operations name. */
const lastFirst = (one: JsonObject, other: JsonObject): number =>
  String(other.path).localeCompare(String(one.path), 'en', { numeric: true });

/** Returns the reason if the field could not be changed. */
async function disturb(pristine: Pristine, path: string, how: How): Promise<string | undefined> {
  const { live, fields } = await look(pristine);
  const field = fields.get(path);
  if (field === undefined)
    throw breach(laws.repaired, pristine.subject.what, [
      `${titleOfChild(pristine.child)}: the reconciler no longer sets ${path}`,
    ]);
  const reasons: string[] = [];
  for (const operation of patchesOf(field, how)) {
    const { changed, refusal, isForbidden } = await attempt(pristine, [operation]);
    const isChanged = changed !== undefined && differencesIn(pristine, live, changed).length > 0;
    if (isChanged) {
      const done = await requireRestored(pristine, laws.repaired, `${path} was ${how}`);
      if (done.refusal !== undefined) return done.refusal;
    }
    if (changed !== undefined) await tidy(pristine);
    if (isChanged) return undefined;
    // The API server refuses every value, as for most fields of a StatefulSet.
    if (refusal === reasons.at(-1) && isForbidden) break;
    reasons.push(refusal ?? 'the API server keeps the former value');
  }
  return reasons[0] ?? 'there is no other value to set';
}

interface Attempt {
  readonly changed?: LiveObject;
  readonly refusal?: string;
  /** True if the server accepts no value of the field. */
  readonly isForbidden?: boolean;
}

async function attempt(pristine: Pristine, body: readonly JsonObject[]): Promise<Attempt> {
  const { subject, child } = pristine;
  const how = { as: 'json', ...namespaceOfChild(subject, child) } as const;
  try {
    const changed = await subject.env.patch(child.type, child.name, { body, ...how });
    pristine.seen = undefined;
    return { changed };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const { reason, message, details } = error.status;
    const { causes = [] } = details ?? {};
    const isForbidden = causes.some((one) => one.reason === 'FieldValueForbidden');
    return { refusal: truncated(`${reason}: ${message}`), isForbidden };
  }
}

async function deleted(pristine: Pristine): Promise<string | undefined> {
  const { generated, templates } = pristine.child;
  if (generated !== undefined && generated.usedBy.length > 0)
    return 'its generated data would have to be restored by hand';
  if (generated !== undefined && templates !== undefined)
    return 'values built from its new generated data follow only in a later run';
  await recreate(pristine);
  return undefined;
}

interface Restored {
  readonly preview: Preview;
  /** Set if the API server refuses to undo the change, for example a Pod's shortened deadline. */
  readonly refusal?: string;
}

/**
 * Makes one run. Requires that every field that we set has its value back, and is owned by us. A child with a change
 * that cannot be undone is recreated.
 */
async function requireRestored(pristine: Pristine, law: Law, what: string): Promise<Restored> {
  const { subject, child, live } = pristine;
  const { preview, report, deviation } = await rehearse(subject);
  const [refused] = report.failures.filter(({ reason }) => reason === immutableReason);
  if (refused !== undefined && law === laws.repaired) {
    await recreate(pristine);
    return { preview, refusal: truncated(`${immutableReason}: ${refused.message}`) };
  }
  const after = await subject.env.get(child.type, child.name, namespaceOfChild(subject, child));
  const left =
    after === undefined
      ? ['it does not exist']
      : differencesIn(pristine, live, after).map(({ text }) => text);
  // A waiting child is not a failure, but its reason says why it was not restored.
  const obstacles = [...report.failures, ...actionsFor(child, preview)].flatMap(
    ({ reason, message }) => (reason === undefined ? [] : [`${reason}: ${message}`]),
  );
  if (left.length + report.failures.length > 0)
    throw breach(law, subject.what, [
      `${titleOfChild(child)}: ${what}, and after the next run:`,
      ...left,
      ...new Set(obstacles),
    ]);
  if (deviation !== undefined) throw deviation;
  return { preview };
}

async function recreate(pristine: Pristine): Promise<void> {
  const { subject, child } = pristine;
  await subject.env.delete(child.type, child.name, namespaceOfChild(subject, child));
  await settleResource(subject);
  await requireRestored(pristine, laws.recreated, 'it was deleted');
  // Runs once more for a CRD, whose deletion also deletes its objects: they can be created once it is established.
  if (isSameType(child.type, definitionType)) {
    await settleResource(subject);
    await rehearse(subject);
  }
  pristine.seen = undefined;
}
