import { present } from '../../json.ts';
import type { Child } from '../../kinds/child.ts';
import { type JsonObject, keyOf, type ObjectRef } from '../../kubernetes.ts';
import { filledBeside } from '../drift/beside.ts';
import { omit } from '../drift/kept-values.ts';
import { type Applied, completionOf, desiredDigest, shortDigest } from '../observed/applied.ts';
import { desiredFields } from '../observed/apply-manifest.ts';
import type { ObservedChild } from '../observed/observed.ts';
import { type Asked, isOwn, latestRecord, type Recorded, type World } from '../observed/world.ts';

/** Returns the record of the last apply; undefined if it cannot be compared with the live child. */
export const appliedTo = (
  world: Recorded,
  child: ObservedChild | undefined,
): Applied | undefined => (child?.stored === undefined ? undefined : recordOf(world, child));

/** Returns the record even if the digest of the live values is unknown. */
function recordOf(world: Recorded, child: ObservedChild): Applied | undefined {
  const record = latestRecord(world, child);
  return record?.uid === shortUid(child) ? record : undefined;
}

/** Returns undefined if the digest of the child's live values is unknown. */
export function recordFor(
  child: ObservedChild,
  fields: JsonObject,
  { generation, before }: Pick<Applied, 'generation'> & { readonly before?: Applied | undefined },
): Applied | undefined {
  const stored = storedOf(child, fields);
  if (stored === undefined) return undefined;
  const desired = desiredDigest(fields, child.salt);
  const since = before?.desired === desired ? before.generation : generation;
  const { complete } = child;
  return { uid: shortUid(child), generation: since, desired, stored, ...present({ complete }) };
}

/** Returns a complete child's record, newly marked as `past`; undefined if there is nothing to mark. */
export function pastRecord(world: World, child: ObservedChild): Applied | undefined {
  const record = recordOf(world, child);
  const isNew = child.complete === true && record?.past === undefined;
  return isNew ? record && { ...record, complete: true, past: true } : undefined;
}

/** Reports whether a step with `each-time` has to run again: its Job completed, and then other fields were desired. */
export const isPast = (world: World, { step }: Child, observed: ObservedChild): boolean =>
  step === 'each-time' &&
  isOwn(world.resource, observed) &&
  recordOf(world, observed)?.past === true;

/**
 * Returns the recorded completion of a child with these fields. A step with `once` may have completed at any time, any
 * other child only after its last apply. Also finds a completion that was recorded under another version of the kind.
 * In that case, the result may have a `record` to store, with the digest for the present version.
 */
export function completedWith(
  world: World,
  { ref, child }: { readonly ref: ObjectRef; readonly child: Child },
  fields: JsonObject,
): { readonly completion: string; readonly record?: Applied } | undefined {
  const former = world.kind.versions.map(({ name: version }) =>
    omit(desiredFields({ ...world, kind: { ...world.kind, version } }, child), child.initial),
  );
  const desired = desiredDigest(fields);
  const digests = [desired, ...former.map((one) => desiredDigest(one))];
  const completions = digests.map((one) => completionOf(keyOf(ref), one));
  const [completion = ''] = completions;
  const record = latestRecord(world, ref);
  const isPast = record?.past === true && child.step === 'each-time';
  if (record?.complete === true && !isPast && digests.includes(record.desired))
    return record.desired === desired
      ? { completion }
      : { completion, record: { ...record, desired } };
  const { completed = [] } = world.resource.status.lastApplied ?? {};
  const earlier = completions.find((one) => completed.includes(one));
  return child.step === 'once' && earlier !== undefined ? { completion: earlier } : undefined;
}

/** Includes another manager's field such as `valueFrom`, because the server may drop our `value: ''` beside it. */
const storedOf = (child: ObservedChild, fields: JsonObject): string | undefined =>
  filledBeside(fields, child) === undefined
    ? child.stored
    : child.stored && shortDigest([child.stored, ...(child.ours?.beside ?? [])].join(' '));

const shortUid = ({ uid }: Pick<ObservedChild, 'uid'>): string => uid.slice(0, 8);

/**
 * Compares a child with its record. `isSame` is true if the last apply had these fields and the server still stores the
 * same values. `record` is the record to store if the child has no drift; undefined if the status has it already.
 */
export function comparedWithRecord(fields: JsonObject, observed: ObservedChild, world: World) {
  const before = appliedTo(world, observed);
  const { generation } = world.resource;
  const record = recordFor(observed, fields, { generation, before });
  const isSame =
    record !== undefined && record.desired === before?.desired && record.stored === before.stored;
  const isKept = isSame && record.complete === before?.complete && before?.past === undefined;
  return { isSame, record: isKept ? undefined : record };
}

/** Returns a result only if it is for the observed version of the child. */
export function dryRunResultFor(
  { asked }: World,
  observed: ObservedChild,
  fields: JsonObject,
): Asked | undefined {
  const result = asked.get(keyOf(observed));
  return result?.version === `${observed.uid}/${observed.resourceVersion}` &&
    [undefined, desiredDigest(fields, observed.salt)].includes(result.desired)
    ? result
    : undefined;
}
