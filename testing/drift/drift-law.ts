import { AssertionError } from 'node:assert';
import { canonicalJson } from '../../shared/canonical.ts';
import { valueAt } from '../../shared/json.ts';
import { type Child, titleOfChild } from '../../shared/kinds/child.ts';
import { type JsonObject, titleOf } from '../../shared/kubernetes.ts';
import type { Preview } from '../../shared/preview/preview.ts';
import { shownValue, truncated } from '../difference.ts';
import { breach, type Law, laws } from '../law.ts';
import { namespaceOfChild, type RehearsedResource, rehearse, settleResource } from '../rehearse.ts';
import { type LiveObject, RefusedError } from '../user.ts';
import { changesOf, type How } from './field-changes.ts';
import { type HeldField, heldFields } from './held-fields.ts';
import { namedFields } from './named-fields.ts';

/** An untested change to a child or to one of its fields, with the reason (`why`). */
export interface SkippedChange {
  readonly child: string;
  /** The field; undefined for a change of the whole child. */
  readonly field?: string;
  readonly how: How | 'deleted';
  readonly why: string;
}

export interface Drifted {
  readonly repaired: number;
  readonly skipped: readonly SkippedChange[];
}

/** A child of the tested resource, as it was before all changes. */
interface Pristine {
  readonly subject: RehearsedResource;
  readonly child: Child;
  readonly live: LiveObject;
  /** The child as it was last read; undefined after a change. */
  seen?: Seen | undefined;
}

interface Seen {
  readonly live: LiveObject;
  readonly fields: ReadonlyMap<string, HeldField>;
}

/**
 * Changes and removes every field of a child, deletes the child, and requires that a run repairs each change.
 *
 * Flow: changes all fields of a group at once, and lets one run repair them. Fields that the API server refuses to
 * change, or that the plan does not name, are tried again in smaller groups, down to single fields.
 */
export async function driftOf(subject: RehearsedResource, child: Child): Promise<Drifted> {
  if (await hasEnded({ subject, child }))
    return { repaired: 0, skipped: [{ child: titleOfChild(child), how: 'deleted', why: ended }] };
  const pristine: Pristine = { subject, child, live: await read({ subject, child }) };
  const fields = heldBy(pristine, pristine.live);
  const tried = { changed: new Map<string, Tried>(), removed: new Map<string, Tried>() };
  for (const how of ['changed', 'removed'] as const)
    for (const group of Map.groupBy(fields, ({ group }) => group).values())
      for (const one of await disturbAll(pristine, group.map(pathOf), how))
        tried[how].set(one.path, one);
  const all = fields.flatMap(({ path }) =>
    (['changed', 'removed'] as const).flatMap((how) => ({ how, ...tried[how].get(path) })),
  );
  const skipped: SkippedChange[] = all.flatMap(({ path: field, how, why }) =>
    field === undefined || why === undefined
      ? []
      : [{ child: titleOfChild(child), field, how, why }],
  );
  const why = await deleted(pristine);
  const kept =
    why === undefined ? [] : [{ child: titleOfChild(child), how: 'deleted' as const, why }];
  return { repaired: all.length - skipped.length, skipped: [...skipped, ...kept] };
}

/** An attempt to change a field. `why` is the reason if the field could not be changed. */
interface Tried {
  readonly path: string;
  readonly why?: string | undefined;
}

const pathOf = ({ path }: { readonly path: string }): string => path;

const ended = 'it is complete';

type Place = Pick<Pristine, 'subject' | 'child'>;

const find = ({ subject, child }: Place): Promise<LiveObject | undefined> =>
  subject.env.get(child.type, child.name, namespaceOfChild(subject, child));

/**
 * Reports whether a Job is complete or gone, and will not be created again. Such a Job is not tested, because
 * Kubernetes may delete it at any time.
 */
async function hasEnded(place: Place): Promise<boolean> {
  const { type, step, body } = place.child;
  if (step === undefined && type.expires?.(body) !== true) return false;
  const live = await find(place);
  return live === undefined || type.complete?.(live) === true;
}

async function read({ subject, child }: Place): Promise<LiveObject> {
  const live = await find({ subject, child });
  if (live !== undefined) return live;
  throw breach(laws.recreated, subject.what, [`${titleOfChild(child)} does not exist`]);
}

const heldBy = ({ subject, child }: Pristine, live: LiveObject): readonly HeldField[] =>
  heldFields(live, subject.reconciler.config.identity, child.body);

async function look(pristine: Pristine): Promise<Seen> {
  if (pristine.seen !== undefined) return pristine.seen;
  const live = await read(pristine);
  const fields = new Map(heldBy(pristine, live).map((field) => [field.path, field]));
  pristine.seen = { live, fields };
  return pristine.seen;
}

async function disturbAll(
  pristine: Pristine,
  paths: readonly string[],
  how: How,
): Promise<readonly Tried[]> {
  const [path, ...others] = paths;
  if (path === undefined) return [];
  if (others.length === 0) return [{ path, why: await disturb(pristine, path, how) }];
  const { repaired, kept, breach: broken } = await disturbTogether(pristine, paths, how);
  const rest = paths.filter((one) => !repaired.has(one) && !kept.has(one));
  const half = Math.ceil(rest.length / 2);
  const parts = [
    ...[...kept].map((one) => [one]),
    ...(rest.length < paths.length ? [rest] : [rest.slice(0, half), rest.slice(half)]),
  ];
  const tried: Tried[] = [...repaired].map((one) => ({ path: one }));
  for (const part of parts) tried.push(...(await disturbAll(pristine, part, how)));
  if (broken !== undefined) throw broken;
  return tried;
}

interface Together {
  /** Fields that the plan named and the run restored. */
  readonly repaired: ReadonlySet<string>;
  /** Fields whose new value the API server did not store. It may store another value. */
  readonly kept: ReadonlySet<string>;
  /** The broken law. Not thrown if a smaller group breaks a law, too, and so gives a more precise error. */
  readonly breach?: AssertionError;
}

const none: Together = { repaired: new Set(), kept: new Set() };

async function disturbTogether(
  pristine: Pristine,
  paths: readonly string[],
  how: How,
): Promise<Together> {
  const { live, fields } = await look(pristine);
  const operations = paths
    .flatMap((path) => fields.get(path) ?? [])
    .flatMap((field) => changesOf(field, how).slice(0, 1))
    .toSorted(lastFirst);
  const { changed } = await attempt(pristine, operations);
  if (changed === undefined) return none;
  const differing = new Set(differencesIn(pristine, live, changed).map(pathOf));
  const disturbed = paths.filter((one) => differing.has(one));
  const kept = new Set(paths.filter((one) => !differing.has(one)));
  let repaired = none.repaired;
  try {
    if (disturbed.length > 0) {
      const what = `${truncated(disturbed.join(', '))} were ${how}`;
      const preview = await requireRestored(pristine, laws.repaired, what);
      repaired = namedFields(disturbed, differencesFor(pristine.child, preview));
    }
    await tidy(pristine);
    return { repaired, kept };
  } catch (error) {
    if (!(error instanceof AssertionError)) throw error;
    await tidy(pristine);
    // Makes another run, after which we own the restored fields again.
    await rehearse(pristine.subject);
    return { ...none, breach: error };
  }
}

const differencesFor = (child: Child, { resources }: Preview): readonly string[] =>
  resources
    .flatMap(({ actions }) => actions)
    .filter((action) => titleOf(action.child) === titleOfChild(child))
    .flatMap(({ differences }) => differences.map(pathOf));

/** Sorts by descending path: removing an item must not move items that later operations name. */
const lastFirst = (one: JsonObject, other: JsonObject): number =>
  String(other.path).localeCompare(String(one.path), 'en', { numeric: true });

/** Changes or removes a field, and requires its repair. Returns the reason if the field could not be changed. */
async function disturb(pristine: Pristine, path: string, how: How): Promise<string | undefined> {
  const { live, fields } = await look(pristine);
  const field = fields.get(path);
  if (field === undefined)
    throw breach(laws.repaired, pristine.subject.what, [
      `${titleOfChild(pristine.child)}: ${path} is no longer set`,
    ]);
  const reasons: string[] = [];
  for (const operation of changesOf(field, how)) {
    const { changed, refusal } = await attempt(pristine, [operation]);
    const isChanged = changed !== undefined && differencesIn(pristine, live, changed).length > 0;
    if (isChanged) await requireRestored(pristine, laws.repaired, `${path} was ${how}`);
    if (changed !== undefined) await tidy(pristine);
    if (isChanged) return undefined;
    if (refusal === reasons.at(-1) && isOfAnyValue(refusal)) break;
    reasons.push(refusal ?? 'the API server keeps the value');
  }
  return reasons[0] ?? 'there is no other value to set';
}

/** Reports whether the API server would refuse every value, as for most fields of a StatefulSet. */
const isOfAnyValue = (refusal: string | undefined): boolean =>
  refusal?.includes(': Forbidden: ') ?? false;

async function attempt(
  pristine: Pristine,
  body: readonly JsonObject[],
): Promise<{ readonly changed?: LiveObject; readonly refusal?: string }> {
  const { subject, child } = pristine;
  const how = { as: 'json', ...namespaceOfChild(subject, child) } as const;
  try {
    const changed = await subject.env.patch(child.type, child.name, { body, ...how });
    pristine.seen = undefined;
    return { changed };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return { refusal: truncated(`${error.status.reason}: ${error.status.message}`) };
  }
}

async function deleted(pristine: Pristine): Promise<string | undefined> {
  const { subject, child } = pristine;
  if (child.generated !== undefined && child.generated.usedBy.length > 0)
    return 'its generated data would have to be restored by hand';
  await subject.env.delete(child.type, child.name, namespaceOfChild(subject, child));
  await settleResource(subject);
  await requireRestored(pristine, laws.recreated, 'it was deleted');
  return undefined;
}

/** Makes one run. Requires that every field that we set has its value again, and is owned by us. */
async function requireRestored(pristine: Pristine, law: Law, what: string): Promise<Preview> {
  const { subject, child, live } = pristine;
  const { preview, report, deviation } = await rehearse(subject);
  const after = await subject.env.get(child.type, child.name, namespaceOfChild(subject, child));
  const left =
    after === undefined
      ? ['it does not exist']
      : differencesIn(pristine, live, after).map(({ text }) => text);
  if (left.length + report.failures.length > 0)
    throw breach(law, subject.what, [
      `${titleOfChild(child)}: ${what}, and after the next run:`,
      ...left,
      ...report.failures.map(({ reason, message }) => `${reason}: ${message}`),
    ]);
  if (deviation !== undefined) throw deviation;
  return preview;
}

/** Returns the differences between two versions of an object, in the fields that we set. */
function differencesIn(
  pristine: Pristine,
  before: LiveObject,
  after: LiveObject,
): readonly { readonly path: string; readonly text: string }[] {
  const byPath = (live: LiveObject): ReadonlyMap<string, HeldField> =>
    new Map(heldBy(pristine, live).map((field) => [field.path, field]));
  const [desired, found] = [byPath(before), byPath(after)];
  return [...new Set([...desired.keys(), ...found.keys()])].flatMap((path) => {
    const [from, to] = [desired.get(path)?.value, found.get(path)?.value];
    if (canonicalJson(from) === canonicalJson(to)) return [];
    const seen = found.has(path) ? `found ${shownValue(to)}` : 'not restored';
    return [{ path, text: `${path}: desired ${shownValue(from)}, ${seen}` }];
  });
}

/** Undoes changes outside our fields, so that the next change starts from the original object. */
async function tidy(pristine: Pristine): Promise<void> {
  const { subject, child, live } = pristine;
  const after = await read(pristine);
  if (canonicalJson(contentOf(after)) === canonicalJson(contentOf(live))) return;
  const { managedFields, ...metadata } = live.metadata;
  const { resourceVersion, uid } = after.metadata;
  await subject.env.replace(child.type, {
    ...live,
    ...withAssigned(live, after),
    metadata: { ...metadata, resourceVersion, uid },
  });
}

/** Keeps a Service's `healthCheckNodePort`, which is immutable and may have been assigned anew. */
function withAssigned(live: LiveObject, after: LiveObject): JsonObject {
  const healthCheckNodePort = valueAt(after, 'spec', 'healthCheckNodePort');
  return live.kind === 'Service' && healthCheckNodePort !== undefined
    ? { spec: { ...(live.spec as JsonObject), healthCheckNodePort } }
    : {};
}

function contentOf({ metadata, status, ...content }: LiveObject): JsonObject {
  const { labels, annotations, ownerReferences, finalizers } = metadata;
  return {
    ...content,
    metadata: { labels, annotations, ownerReferences, finalizers } as JsonObject,
  };
}
