import { present } from '../../json.ts';
import { type Child, type ChildName, issuerOf, type Need } from '../../kinds/child.ts';
import { secret } from '../../kinds/child-types/core.ts';
import { valuesIn } from '../../kinds/references/template.ts';
import { isSameType, keyOf, type ObjectRef, titleOf } from '../../kubernetes.ts';
import { missingKeys } from '../drift/generated.ts';
import { keepLive } from '../drift/kept-values.ts';
import { lastApplied } from '../drift/last-applied.ts';
import { desiredDigest, recordIn } from '../observed/applied.ts';
import { isEdited } from '../observed/observed-resource.ts';
import { isLasting, refOf, typeNotServed, type World } from '../observed/world.ts';
import { appliedTo } from './apply-records.ts';
import {
  type Decided,
  type Decision,
  insteadOf,
  isWriteDecision,
  type Update,
  versionOf,
} from './decision.ts';
import { waitingFor } from './reasons.ts';

export type Siblings = ReadonlyMap<string, Decided>;

export const siblingsOf = (decided: readonly Decided[]): Siblings =>
  new Map(decided.map((one) => [keyOf(refOf(one.child)), one]));

export function foreignTarget({ actsOn }: Child, siblings: Siblings): ObjectRef | undefined {
  const target = actsOn && childNamed(actsOn, siblings);
  return target?.foreign === true ? target.decision.child : undefined;
}

/**
 * Adjusts the decision about a child to the decisions about other children.
 *
 * Flow: deletes a child whose target (`actsOn`) is foreign. Any other write waits for the needed children and the
 * target.
 * Guarantees: the deletion waits neither for other children nor for `PRUNE_LIMIT`, because it follows from a read of
 * the target, not from a list. A target that is absent, or is ours and being deleted, causes no deletion.
 * Caveats: if a workload only reads an object, use `needs`, which never deletes a running workload.
 */
export function resolveDependencies(one: Decided, siblings: Siblings, world: World): Decision {
  const { child, observed, decision } = one;
  const target = foreignTarget(child, siblings);
  if (!target || !isLasting(world.resource, observed)) return requireNeeds(one, siblings, world);
  const why = actsOnForeign(decision.child, target);
  return insteadOf(decision, { verb: 'delete', lock: versionOf(observed), ...why });
}

/**
 * Adds `needs` to a write, or to the decision about a child whose type is not served. If a needed child will not be up
 * to date, returns a write that only restores the fields last applied, or a wait.
 */
export function requireNeeds(one: Decided, siblings: Siblings, world: World): Decision {
  const { child, decision } = one;
  const { resource } = world;
  const isUnserved = decision.verb === 'block' && decision.reason === typeNotServed;
  if (!isWriteDecision(decision) && !isUnserved) return decision;
  const awaited: readonly Need[] = [
    ...(child.needs ?? []),
    ...[issuerOf(child) ?? []].flat(),
    ...(decision.verb === 'create' ? missingSecrets(child, siblings, world) : []),
    ...[child.actsOn, namespaceFor(child, siblings)].flatMap((name) =>
      name === undefined || isLasting(resource, childNamed(name, siblings)?.observed) ? [] : [name],
    ),
  ];
  if (awaited.length === 0) return decision;
  // Omits steps: a new write is decided only once they are complete, and a repeated write does not wait for them.
  const needs = awaited
    .filter((need) => childNamed(need, siblings)?.child.step === undefined)
    .map(refOf);
  const setsNew = !isRepeated(one, world);
  const unmet = awaited.find((need) => !isMet(need, siblings, world, setsNew));
  if (unmet === undefined) return { ...decision, needs };
  const needed = childNamed(unmet, siblings)?.child;
  if (needed === undefined || (unmet.until === 'complete' && needed.step === undefined)) {
    const what = needed === undefined ? 'a child of the resource' : 'a step';
    const message = `${titleOf(decision.child)} waits for ${titleOf(refOf(unmet))}, which is not ${what}`;
    return insteadOf(decision, { verb: 'block', reason: 'InvalidSpec', message });
  }
  const until = refOf(generatedFor(unmet, siblings) ?? unmet);
  // Waits instead of blocking, because the needed child may be the CRD of the type that is not served.
  if (!isWriteDecision(decision))
    return insteadOf(decision, { verb: 'wait', ...waitingFor(decision, until) });
  const postponed = { write: decision, until };
  const mayRepair = awaited.every((need) => isMet(need, siblings, world, false));
  const repair = mayRepair ? restoreOf(one, world) : undefined;
  // If no repair undoes other writers' changes, these changes stay while the update waits.
  const why = waitingFor(decision, until, repair === undefined);
  return repair
    ? { ...repair, ...why, postponed, needs }
    : insteadOf(decision, { verb: 'wait', ...why, postponed });
}

/**
 * Returns an update that only restores the fields last applied; undefined if other writers have changed none of them.
 * Also undefined if they changed a field whose desired value is new, because its former value is unknown.
 */
export function restoreOf(
  { decision, observed }: Pick<Decided, 'decision' | 'observed'>,
  world: World,
): Update | undefined {
  const desired = appliedTo(world, observed)?.desired;
  if (decision.verb !== 'update' || !observed || desired === undefined) return undefined;
  const { recreates: _, kept, untangles, generates, differences, ...update } = decision;
  if (desired === desiredDigest(update.fields, observed.salt)) return undefined;
  if (differences === undefined || (untangles ?? generates) !== undefined) return undefined;
  const last = lastApplied(observed, desired, { ...update, kept, differences });
  if (last === undefined || last.differences.length === 0) return undefined;
  const again = kept && keepLive(kept, { ...kept, fields: last.fields }, observed);
  return { ...update, ...last, ...present({ kept: again }) };
}

/** Reports whether a write only applies fields that were applied before this run. */
function isRepeated({ decision, observed }: Decided, { resource }: World): boolean {
  if (decision.verb !== 'create' && decision.verb !== 'update') return false;
  const record = recordIn(resource.applied[keyOf(decision.child)]);
  if (record?.desired === desiredDigest(decision.fields, observed?.salt)) return true;
  // Assumes unchanged fields in a Secret that was deleted, because digests cannot be compared without its salt.
  const isLost = decision.verb === 'create' && decision.existed;
  return isLost && isSameType(decision.type, secret) && !isEdited(resource);
}

/** Returns the Secrets that must have their data before the child exists, because none is generated afterwards. */
function missingSecrets(child: Child, siblings: Siblings, { resource }: World) {
  const key = keyOf(refOf(child));
  return [...siblings.values()].flatMap(({ observed, child: one }): ChildName | [] => {
    const isUsed = one.generated?.usedBy.some((name) => keyOf(refOf(name)) === key);
    const lacksData = missingKeys(one, observed).length > 0;
    return isUsed && (lacksData || !isLasting(resource, observed)) ? one : [];
  });
}

const childNamed = (name: ChildName, siblings: Siblings): Decided | undefined =>
  siblings.get(keyOf(refOf(name)));

export const namespaceFor = ({ namespace = '' }: Child, siblings: Siblings) =>
  siblings.get(keyOf({ apiVersion: 'v1', kind: 'Namespace', name: namespace }))?.child;

/**
 * Reports whether a needed child lets a write proceed. Only a write that sets new fields (`setsNew`) waits until a step
 * is complete, or until a child with `until: 'ready'` is ready. A child that this pass wrote does not count as ready
 * yet, because its controller has not had time to act.
 */
function isMet(need: Need, siblings: Siblings, { applied }: World, setsNew: boolean): boolean {
  const needed = childNamed(need, siblings);
  if (needed === undefined) return false;
  if (setsNew && generatedFor(need, siblings) !== undefined) return false;
  const { child, decision, observed } = needed;
  if (child.step !== undefined) return !setsNew || isComplete(needed);
  if (need.until === 'complete') return false;
  if (need.until !== 'ready' || !setsNew)
    return decision.verb === 'none' || isWriteDecision(decision);
  const isNew = child.type.readiness !== undefined && applied.has(keyOf(decision.child));
  return decision.verb === 'none' && observed?.readiness.state === 'Current' && !isNew;
}

/** Returns the Secret whose data this pass generates and the next pass copies into the needed child. */
function generatedFor(need: ChildName, siblings: Siblings): Child | undefined {
  const needed = childNamed(need, siblings)?.child;
  return valuesIn(needed?.templates ?? {})
    .map(({ secret: name, namespace = needed?.namespace }) =>
      childNamed({ type: secret, name, ...present({ namespace }) }, siblings),
    )
    .find((source) => source !== undefined && 'generates' in source.decision)?.child;
}

/** Reports whether a step is complete, or was before its Job was deleted. Includes updates, which leave it complete. */
const isComplete = ({ decision: { verb }, observed }: Decided): boolean =>
  (verb === 'none' || verb === 'update') && (observed?.complete ?? observed === undefined);

export const actsOnForeign = (child: ObjectRef, target: ObjectRef) => ({
  reason: 'TargetNotOwned',
  message: `${titleOf(child)} acts on ${titleOf(target)}, which is not managed by this resource`,
});
