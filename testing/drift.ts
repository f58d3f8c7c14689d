import { canonicalJson } from '../shared/canonical.ts';
import { valueAt } from '../shared/json.ts';
import type { Child } from '../shared/kinds/child.ts';
import type { JsonObject } from '../shared/kubernetes.ts';
import { changesOf, type How } from './changes.ts';
import { shortText, shown } from './difference.ts';
import { type HeldField, heldFields } from './held-fields.ts';
import { breach, type Law, laws } from './law.ts';
import { placeOf, rehearse, type Subject, settle } from './rehearse.ts';
import { type LiveObject, RefusedError } from './user.ts';
import { refOf } from './wanted.ts';

/** A change of a child that was not tried. */
export interface SkippedChange {
  readonly child: string;
  /** Undefined for the child as a whole. */
  readonly field?: string;
  readonly how: How | 'deleted';
  readonly why: string;
}

export interface Drifted {
  readonly repaired: number;
  readonly skipped: readonly SkippedChange[];
}

/** One child of a subject, as it was when it was as wanted. */
interface Pristine {
  readonly subject: Subject;
  readonly child: Child;
  readonly live: LiveObject;
}

/** Changes and removes every field of a child, one by one, deletes it, and requires that each is repaired. */
export async function driftOf(subject: Subject, child: Child): Promise<Drifted> {
  const pristine = { subject, child, live: await read({ subject, child }) };
  const skipped: SkippedChange[] = [];
  let repaired = 0;
  for (const { path } of heldBy(pristine, pristine.live)) {
    for (const how of ['changed', 'removed'] as const) {
      const why = await disturb(pristine, path, how);
      if (why === undefined) repaired++;
      else skipped.push({ child: refOf(child), field: path, how, why });
    }
  }
  const why = await deleted(pristine);
  if (why !== undefined) skipped.push({ child: refOf(child), how: 'deleted', why });
  return { repaired, skipped };
}

async function read({ subject, child }: Pick<Pristine, 'subject' | 'child'>): Promise<LiveObject> {
  const { world, what } = subject;
  const live = await world.get(child.type, child.name, placeOf(subject, child));
  if (live !== undefined) return live;
  throw breach(laws.recreated, what, [`${refOf(child)} does not exist`]);
}

const heldBy = ({ subject, child }: Pristine, live: LiveObject): readonly HeldField[] =>
  heldFields(live, subject.reconciler.config.identity, child.body);

/** Returns why the field could not be changed; undefined once it was and is repaired. */
async function disturb(pristine: Pristine, path: string, how: How): Promise<string | undefined> {
  const live = await read(pristine);
  const field = heldBy(pristine, live).find((one) => one.path === path);
  if (field === undefined)
    throw breach(laws.repaired, pristine.subject.what, [
      `${refOf(pristine.child)}: ${path} is no longer set`,
    ]);
  const reasons: string[] = [];
  for (const operation of changesOf(field, how)) {
    const { changed, refusal } = await attempt(pristine, operation);
    if (changed !== undefined) {
      const isDrift = differencesIn(pristine, live, changed).length > 0;
      const now = isDrift
        ? await requireRestored(pristine, laws.repaired, `${path} was ${how}`)
        : changed;
      await tidy(pristine, now);
      if (isDrift) return undefined;
    }
    if (refusal === reasons.at(-1) && isOfAnyValue(refusal)) break;
    reasons.push(refusal ?? 'the API server keeps the value');
  }
  return reasons[0] ?? 'it has no other value';
}

/** Whether the API server refuses any other value, too: a StatefulSet has a few fields that may change. */
const isOfAnyValue = (refusal: string | undefined): boolean =>
  refusal?.includes(': Forbidden: ') ?? false;

async function attempt(
  { subject, child }: Pristine,
  operation: JsonObject,
): Promise<{ readonly changed?: LiveObject; readonly refusal?: string }> {
  const { world } = subject;
  const how = { as: 'json', ...placeOf(subject, child) } as const;
  try {
    return { changed: await world.patch(child.type, child.name, { body: [operation], ...how }) };
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return { refusal: shortText(`${error.status.reason}: ${error.status.message}`) };
  }
}

async function deleted(pristine: Pristine): Promise<string | undefined> {
  const { subject, child } = pristine;
  if (child.generated !== undefined && child.generated.usedBy.length > 0)
    return 'its generated data would have to be restored by hand';
  await subject.world.delete(child.type, child.name, placeOf(subject, child));
  await settle(subject);
  await requireRestored(pristine, laws.recreated, 'it was deleted');
  return undefined;
}

/** One run, after which every field that we set has its value again and is ours; the object as it is then. */
async function requireRestored(pristine: Pristine, law: Law, what: string): Promise<LiveObject> {
  const { subject, child, live } = pristine;
  const { report, deviation } = await rehearse(subject);
  const after = await subject.world.get(child.type, child.name, placeOf(subject, child));
  const left = after === undefined ? ['it does not exist'] : differencesIn(pristine, live, after);
  if (after === undefined || left.length + report.failures.length > 0)
    throw breach(law, subject.what, [
      `${refOf(child)}: ${what}, and after the next run:`,
      ...left,
      ...report.failures.map(({ reason, message }) => `${reason}: ${message}`),
    ]);
  if (deviation !== undefined) throw deviation;
  return after;
}

/** Fields that we set in one version of an object and not, or otherwise, in another. */
function differencesIn(
  pristine: Pristine,
  before: LiveObject,
  after: LiveObject,
): readonly string[] {
  const byPath = (live: LiveObject): ReadonlyMap<string, HeldField> =>
    new Map(heldBy(pristine, live).map((field) => [field.path, field]));
  const [wanted, found] = [byPath(before), byPath(after)];
  return [...new Set([...wanted.keys(), ...found.keys()])].flatMap((path) => {
    const [from, to] = [wanted.get(path)?.value, found.get(path)?.value];
    return canonicalJson(from) === canonicalJson(to)
      ? []
      : [
          `${path}: wanted ${shown(from)}, ${found.has(path) ? `found ${shown(to)}` : 'not restored'}`,
        ];
  });
}

/** Takes out what a change left beside our fields, so that the next one meets the same object. */
async function tidy({ subject, child, live }: Pristine, after: LiveObject): Promise<void> {
  if (canonicalJson(contentOf(after)) === canonicalJson(contentOf(live))) return;
  const { managedFields, ...metadata } = live.metadata;
  const { resourceVersion, uid } = after.metadata;
  await subject.world.replace(child.type, {
    ...live,
    ...withAssigned(live, after),
    metadata: { ...metadata, resourceVersion, uid },
  });
}

/** A Service that has needed no port for health checks in between has another one, which is fixed. */
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
