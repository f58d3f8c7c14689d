import { withoutUndefined } from '../../canonical.ts';
import { present } from '../../json.ts';
import type { Child } from '../../kinds/child.ts';
import * as exposure from '../../kinds/child-types/ingress.ts';
import {
  type Generator,
  generatedKeys,
  rotationText,
} from '../../kinds/references/generated-data.ts';
import { type JsonObject, keyOf, type ObjectRef } from '../../kubernetes.ts';
import type { ContestedWorld } from '../drift/contest.ts';
import {
  type Difference,
  differencesBetween,
  generatedFields,
  isOwnershipOnly,
} from '../drift/differences.ts';
import { type DataCase, isRotationDue, missingData } from '../drift/generated.ts';
import { keepGrown, keepLive, omit } from '../drift/kept-values.ts';
import { type Applied, desiredDigest } from '../observed/applied.ts';
import { desiredFields, salted } from '../observed/apply-manifest.ts';
import { type ObservedChild, storedIn } from '../observed/observed.ts';
import { isEdited } from '../observed/observed-resource.ts';
import { shortJson } from '../observed/short-text.ts';
import {
  type Asked,
  type FailedRequest,
  isAdoptable,
  isOrphan,
  isOwn,
  latestRecord,
  readTarget,
  typeNotServed,
  unlistedIn,
} from '../observed/world.ts';
import {
  appliedTo,
  comparedWithRecord,
  completedWith,
  dryRunResultFor,
  isPast,
} from './apply-records.ts';
import { type Create, type DecisionBody, type Fields, type Update, versionOf } from './decision.ts';
import {
  beingDeleted,
  blocked,
  contested,
  foreign,
  immutableReason,
  unreadable,
  valueMissing,
} from './reasons.ts';

interface Case extends DataCase {
  readonly world: ContestedWorld;
  readonly ref: ObjectRef;
  /** True if `status.children` lists the child. */
  readonly isListed: boolean;
}

/** Leaves a foreign object alone. */
export function decide(one: Case): DecisionBody {
  const { world, child, ref, isListed, observed } = one;
  if (child.ends) return atTheEnd(one);
  if (child.blocked !== undefined)
    return servesCleanUp(one) ? { verb: 'none' } : blocked(child.blocked);
  const unlisted = unlistedIn(world, child.type);
  if (unlisted !== undefined)
    return unlisted.transient ? { verb: 'fail', ...unlisted } : blocked(unlisted);
  if (observed?.deleting) return { verb: 'wait', ...beingDeleted(ref) };
  if (observed !== undefined && isForeign(one)) return foreign(world, ref, observed);
  if (observed?.unreadable !== undefined) return unreadable(ref, observed.unreadable);
  const missing = missingData(one);
  if ('reason' in missing) return blocked(missing);
  const whole = withoutUndefined(desiredFields(world, child));
  const owned = omit(whole, child.initial);
  const desired = observed === undefined ? owned : keepGrown(owned, observed);
  const generates = generationOf(one, missing);
  if (observed !== undefined && isPast(world, child, observed))
    return { verb: 'delete', lock: versionOf(observed), ...beingDeleted(ref) };
  if (observed !== undefined)
    return decideOnLive(one, { observed, whole }, { fields: desired, ...generates });
  const isKept = child.step !== undefined || child.type.expires?.(desired) === true;
  const completed = isKept ? completedWith(world, one, desired) : undefined;
  if (completed !== undefined) return { verb: 'none', ...completed };
  const first = { fields: desired, ...initialFields(one, whole), ...generates };
  const existed = isListed && !(isKept && latestRecord(world, ref)?.complete);
  const write = { verb: 'create', existed, ...first } as const;
  return existed ? unlessFought(one, write, []) : write;
}

/** Decides about a child that must be `gone` or `kept`. A child that is already being deleted cannot be kept. */
function atTheEnd({ world, child, ref, observed }: Case): DecisionBody {
  const unknown = unlistedIn(world, child.type) ?? world.unread.get(keyOf(ref));
  if (observed === undefined && unknown !== undefined && unknown.reason !== typeNotServed)
    return { verb: 'fail', ...unknown };
  if (observed === undefined || !isOwn(world.resource, observed)) return { verb: 'none' };
  const isKept = child.ends === 'kept';
  if (observed.deleting) return isKept ? { verb: 'none' } : { verb: 'wait', ...beingDeleted(ref) };
  return { verb: isKept ? 'release' : 'delete', lock: versionOf(observed) };
}

/** Reports whether a clean-up uses a Secret as it is, because a source of its templates is gone or no longer granted. */
const servesCleanUp = ({ world: { resource }, child, observed }: Case): boolean =>
  resource.deleting &&
  child.templates !== undefined &&
  child.blocked?.reason === valueMissing &&
  observed?.deleting === false &&
  isOwn(resource, observed);

/** Returns the data to generate. An adopted Secret without the rotation annotation keeps its data. */
function generationOf(
  one: Case,
  missing: readonly string[],
): Pick<Fields, 'generates' | 'usedBy' | 'rotation' | keyof Generator> {
  const { child, observed, world } = one;
  const { generated } = child;
  const isDue = isRotationDue(one);
  if (generated === undefined || (missing.length === 0 && !isDue)) return {};
  const { usedBy, keyPair, certificate } = generated;
  const keepsData = observed && !isOwn(world.resource, observed) && !observed.facts.rotation;
  return {
    generates: isDue && !keepsData ? generatedKeys(generated) : missing,
    usedBy: missing.length === 0 ? [] : usedBy.map(readTarget),
    ...present({ rotation: rotationText(generated), keyPair, certificate }),
  };
}

const initialFields = ({ child }: Case, whole: JsonObject): Pick<Fields, 'kept'> =>
  child.initial === undefined ? {} : { kept: { fields: whole, whole, long: [] } };

export const isForeign = ({ world, child, observed }: Case): boolean =>
  observed !== undefined &&
  !isOwn(world.resource, observed) &&
  !(world.adopts && isAdoptable(world, observed)) &&
  !(child.onCollision === 'adopt-if-unowned' && isOrphan(world, observed));

/**
 * Decides what to do with a live child, from the record of its last apply or from the result of a dry run.
 *
 * Guarantees: a child that differs from its record is written without a dry run only if the server could not make one.
 * If data is generated, a refusal of the dry run proves nothing, because the dry run is sent without that data.
 */
function decideOnLive(
  one: Case,
  { observed, whole }: { readonly observed: ObservedChild; readonly whole: JsonObject },
  { fields, ...generation }: Fields,
): DecisionBody {
  const { child, world } = one;
  const result = dryRunResultFor(world, observed, fields);
  const { isSame, record } = comparedWithRecord(fields, observed, world);
  const kept = keepLive(child, { fields, whole }, observed);
  const lock = versionOf(observed);
  const { generates } = generation;
  const isKnown = result !== undefined || isSame || waitsUncompared(one, fields);
  if (!isKnown || (!generates && result === undefined && world.comparesDaily))
    return { verb: 'ask', fields, lock, ...present({ kept, onlyChecks: isSame || undefined }) };
  if (!generates && isInOrder(observed, result, { isSame, applied: kept?.fields ?? fields }))
    return withoutDrift(one, observed, record);
  const recreates = result?.refusal?.reason === immutableReason && child.recreate !== undefined;
  if (result?.refusal && !recreates && !generates) return refused(result.refusal);
  const seen = result?.after && differencesBetween(observed, result.after);
  const made = generates && generatedFields(generates, observed);
  const differences = made ? [...(seen ?? []), ...made] : seen;
  const write = {
    verb: 'update',
    lock,
    fields,
    ...generation,
    differences,
    ...(recreates ? { recreates, ...initialFields(one, whole) } : present({ kept })),
    ...present({ untangles: result?.untangles }),
  } as const;
  return unlessFought(one, write, differences ?? []);
}

/** Reports whether our entry in managedFields has exactly these fields and values. */
const holds = ({ ours, salt }: ObservedChild, fields: JsonObject): boolean =>
  ours?.values === shortJson(salt === undefined ? fields : salted(fields, salt));

/** Judges by a dry run whether the child is up to date; without one, by the record or our managedFields entry. */
function isInOrder(
  observed: ObservedChild,
  result: Asked | undefined,
  { isSame, applied }: { readonly isSame: boolean; readonly applied: JsonObject },
): boolean {
  if (result === undefined || result.refusal !== undefined) return isSame;
  const { after, untangles } = result;
  if (after === undefined) return isSame || holds(observed, applied);
  if (observed.lacksSalt && !after.lacksSalt) return false;
  const [before, stored] = [observed, after].map(({ ours }) => ours && storedIn(ours));
  return untangles === undefined && before !== undefined && before === stored;
}

/** Reports whether to skip the dry run of new fields: the resource waits in a rollout, and the child has no drift. */
function waitsUncompared({ child, world, observed }: Case, fields: JsonObject): boolean {
  const { resource } = world;
  if (resource.rollout?.reason !== 'Waiting' || child.type.exposure !== undefined) return false;
  if (world.foresees || resource.observeOnly || isEdited(resource)) return false;
  const record = appliedTo(world, observed);
  const isNew = record?.desired !== desiredDigest(fields, observed?.salt);
  return record !== undefined && isNew && record.stored === observed?.stored;
}

const refused = ({ transient, ...why }: FailedRequest): DecisionBody =>
  why.reason === immutableReason ? { verb: 'block', ...why } : { verb: 'fail', ...why, transient };

function withoutDrift(
  { ref, world }: Case,
  observed: ObservedChild,
  record: Applied | undefined,
): DecisionBody {
  const attempt = { verb: 'consolidate', child: ref, observed, differences: [] } as const;
  return observed.legacy && world.detectFight?.(attempt) === undefined
    ? { verb: 'consolidate', lock: versionOf(observed) }
    : { verb: 'none', ...present({ record }) };
}

/** Defers a contested write to the next resync, unless the cluster may wrongly admit requests until then. */
function unlessFought(
  { child, ref, observed, world }: Case,
  write: DecisionBody<Create | Update>,
  differences: readonly Difference[],
): DecisionBody {
  const fight = world.detectFight?.({ verb: write.verb, child: ref, observed, differences });
  if (fight === undefined) return write;
  return isOverexposed(child, observed, differences)
    ? { ...write, repeated: true }
    : contested(fight);
}

/**
 * Reports whether Ingresses may admit requests that the desired child refuses. For example, if a protected
 * `/shop/admin` is missing, a public `/shop` may serve the requests for it.
 */
export function isOverexposed(
  child: Child,
  observed: ObservedChild | undefined,
  differences: readonly Difference[],
): boolean {
  if (child.type.exposure === undefined) return false;
  const isPublic = exposure.isPublic(child);
  if (observed === undefined) return !isPublic;
  return differences.some((one) => {
    if (isOwnershipOnly(one) && one.to !== undefined) return false;
    if (/^metadata\.(labels|ownerReferences)/.test(one.path)) return false;
    return (
      one.path !== exposure.pathsField || !isPublic || !exposure.isPartOf(observed.facts, child)
    );
  });
}
