import { withoutUndefined } from '../../canonical.ts';
import type { Child } from '../../kinds/child.ts';
import { type JsonObject, keyOf, type ObjectVersion } from '../../kubernetes.ts';
import { drift, isAsWanted } from '../drift/drift.ts';
import { missingData } from '../drift/generated.ts';
import { wantedDigest } from '../observed/applied.ts';
import { desiredFields } from '../observed/apply-manifest.ts';
import type { ObservedChild } from '../observed/observed.ts';
import { isOwn } from '../observed/ownership.ts';
import { type Asked, type ReadTarget, refOf, type World } from '../observed/world.ts';
import { appliedTo, isAsApplied } from './records.ts';

/** A child whose state only the server knows: what would an apply of these fields change? */
export interface Question {
  readonly ref: ReadTarget;
  readonly fields: JsonObject;
  /** The version that was observed. */
  readonly version: ObjectVersion;
}

/**
 * The wanted children that the API server is asked about before anything is decided: those whose records say that
 * something changed while no difference is seen, as in an order or a notation, and in a comparison all.
 */
export const questionsIn = (desired: readonly Child[], world: World): readonly Question[] =>
  desired.flatMap((child) => {
    const ref = refOf(child);
    const observed = world.children.get(keyOf(ref));
    if (observed === undefined || !isAskable(child, observed, world)) return [];
    const fields = withoutUndefined(desiredFields(world, child));
    if (isKnown(fields, observed, world)) return [];
    const { uid, resourceVersion } = observed;
    return [{ ref: { ...ref, type: child.type }, fields, version: { uid, resourceVersion } }];
  });

const isAskable = (child: Child, observed: ObservedChild, world: World): boolean =>
  child.blocked === undefined &&
  isOwn(world.resource, observed) &&
  !observed.deleting &&
  observed.unreadable === undefined &&
  observed.ours !== undefined &&
  isEmpty(missingData({ world, child, ref: refOf(child), observed }));

const isEmpty = (missing: object): boolean => Array.isArray(missing) && missing.length === 0;

function isKnown(fields: JsonObject, observed: ObservedChild, world: World): boolean {
  if (answerFor(world, observed, fields) !== undefined) return true;
  if (world.compares === true) return false;
  if (isAsApplied(fields, observed, world)) return true;
  if (appliedTo(world, observed) === undefined && isAsWanted(fields, observed)) return true;
  const isForeseen = world.foresees === true && observed.others.length > 0;
  return drift(fields, observed).length > 0 && !isForeseen;
}

/** What the server said about an apply of these fields to the child as it was observed. */
export function answerFor(
  { asked }: World,
  observed: ObservedChild,
  fields: JsonObject,
): Asked | undefined {
  const answer = asked?.get(keyOf(observed));
  return answer?.version === `${observed.uid}/${observed.resourceVersion}` &&
    answer.wanted === wantedDigest(fields, observed.salt)
    ? answer
    : undefined;
}
