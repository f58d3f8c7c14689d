import { present } from '../../json.ts';
import { type JsonObject, keyOf, type ObjectRef } from '../../kubernetes.ts';
import { filledBeside } from '../drift/beside.ts';
import {
  type Applied,
  completionOf,
  digestOf,
  recordIn,
  wantedDigest,
} from '../observed/applied.ts';
import type { ObservedChild } from '../observed/observed.ts';
import type { Asked, World } from '../observed/world.ts';

/** The record of the last apply to this child; undefined without one that can be compared with the child. */
export const appliedTo = (
  world: Pick<World, 'applied' | 'resource'>,
  child: ObservedChild | undefined,
): Applied | undefined => (child?.stored === undefined ? undefined : recordOf(world, child));

/** Returns the record of a child, even if the digest of its stored values is unknown. */
export function recordOf(
  { applied, resource }: Pick<World, 'applied' | 'resource'>,
  child: ObservedChild,
): Applied | undefined {
  const key = keyOf(child);
  const record = applied?.get(key) ?? recordIn(resource.applied[key]);
  return record?.uid === beginOf(child) ? record : undefined;
}

/**
 * Returns the record of a child to which these fields were applied; undefined if the digest of its stored
 * values is unknown.
 */
export function recordFor(
  child: ObservedChild,
  fields: JsonObject,
  { generation, before }: { readonly generation: number; readonly before?: Applied | undefined },
): Applied | undefined {
  const stored = storedOf(child, fields);
  if (stored === undefined) return undefined;
  const wanted = wantedDigest(fields, child.salt);
  const since = before?.wanted === wanted ? before.generation : generation;
  const { complete } = child;
  return { uid: beginOf(child), generation: since, wanted, stored, ...present({ complete }) };
}

/** The record to store of an unwanted child that is complete; undefined if it is stored already. */
export function completedRecord(world: World, child: ObservedChild): Applied | undefined {
  const record = child.complete === true ? recordOf(world, child) : undefined;
  return record?.complete === undefined && record !== undefined
    ? { ...record, complete: true }
    : undefined;
}

/** Reports whether a child of this name was complete with these fields. */
export function wasComplete(
  { applied, resource }: Pick<World, 'applied' | 'resource'>,
  ref: ObjectRef,
  fields: JsonObject,
): boolean {
  const key = keyOf(ref);
  const wanted = wantedDigest(fields);
  const record = applied?.get(key) ?? recordIn(resource.applied[key]);
  const { completed = [] } = resource.status.lastApplied ?? {};
  return (
    (record?.complete === true && record.wanted === wanted) ||
    completed.includes(completionOf(key, wanted))
  );
}

/** Reports whether these fields are those that were applied last, perhaps to an earlier object of the name. */
export const isReapplied = (
  { resource }: Pick<World, 'resource'>,
  ref: ObjectRef,
  { fields, salt }: { readonly fields: JsonObject; readonly salt: string | undefined },
): boolean => recordIn(resource.applied[keyOf(ref)])?.wanted === wantedDigest(fields, salt);

/** The digest of what is stored, and of what others have put beside an empty text of ours. */
const storedOf = (child: ObservedChild, fields: JsonObject): string | undefined =>
  filledBeside(fields, child) === undefined
    ? child.stored
    : child.stored && digestOf([child.stored, ...(child.ours?.beside ?? [])].join(' '));

const beginOf = ({ uid }: Pick<ObservedChild, 'uid'>): string => uid.slice(0, 8);

/**
 * Compares a child with the record of its last apply. `isSame`: these fields were applied last, and the child still is
 * as the server stored them. `record`: what to record of a child that is in order, unless it is recorded already.
 */
export function comparedWithRecord(fields: JsonObject, observed: ObservedChild, world: World) {
  const before = appliedTo(world, observed);
  const { generation } = world.resource;
  const record = recordFor(observed, fields, { generation, before });
  const isSame =
    record !== undefined && record.wanted === before?.wanted && record.stored === before.stored;
  return { isSame, record: isSame && record.complete === before?.complete ? undefined : record };
}

/** Returns the server's answer about an apply of these fields to the child as it was observed. */
export function answerFor(
  { asked }: World,
  observed: ObservedChild,
  fields: JsonObject,
): Asked | undefined {
  const answer = asked?.get(keyOf(observed));
  return answer?.version === `${observed.uid}/${observed.resourceVersion}` &&
    [undefined, wantedDigest(fields, observed.salt)].includes(answer.wanted)
    ? answer
    : undefined;
}
