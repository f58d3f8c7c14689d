import { KubeError } from '../../cluster/cluster-errors.ts';
import { secret } from '../../kinds/child-types/core.ts';
import { isSameType, type JsonObject, type KubeObject } from '../../kubernetes.ts';
import { immutableFields } from '../../plan/decision/reasons.ts';
import { appliedTo } from '../../plan/decision/records.ts';
import { fieldsHeld, hasUnheld, leftoversIn, patchWithout } from '../../plan/drift/leftovers.ts';
import { type Place, pathOf, valueIn } from '../../plan/drift/places.ts';
import { desiredDigest } from '../../plan/observed/applied.ts';
import { type DryRunResult, fieldsOf, type Inquiry } from './inquiry.ts';

/**
 * Clears values that earlier applies left behind in a child, such as a default that the server derived from a field
 * that we no longer set. The child then equals one that is created anew. `upgraded` is the child after the dry run of
 * the apply or, if `untangles` is set, of the patch `untangles`.
 *
 * Flow: dry-runs the creation of two new objects: one with the desired fields, one with the fields that we still hold
 * in the live child. A field that equals only the latter was left behind. Dry-runs a patch that clears it.
 * Guarantees: sends nothing if the desired fields are those that were applied last, or if each field of the child has
 * a manager. Clears only fields that no manager holds. If the server keeps such a field nevertheless, the result is a
 * refusal.
 * Caveats: clears nothing if the server refuses a new object, for example because of a quota or a taken node port.
 * Leaves types that expose paths alone, because clearing a field could open a path. Leaves Secrets alone, because a
 * dry run would send their values under another object's name.
 */
export async function withoutLeftovers(
  inquiry: Inquiry,
  upgraded: KubeObject,
  untangles?: readonly JsonObject[],
): Promise<DryRunResult> {
  const { world, question, sent } = inquiry;
  const result = untangles
    ? { after: inquiry.observeApplied(upgraded), untangles }
    : { after: inquiry.observe(upgraded) };
  if (!mayLeave(inquiry, result) || !hasUnheld(upgraded, world.identity)) return result;
  const newer = await inquiry.create(sent);
  if (newer === undefined) return result;
  const leftIn = (one: KubeObject, older: KubeObject): readonly Place[] =>
    leftoversIn({ upgraded: one, older, newer }, world.identity);
  if (leftIn(upgraded, upgraded).length === 0) return result;
  const live = await inquiry.read();
  const held = fieldsHeld(live, world.identity);
  const older = held && (await inquiry.create(held));
  const left = older === undefined ? [] : leftIn(upgraded, older);
  if (older === undefined || left.length === 0) return result;
  const operations = patchWithout(left, { live, upgraded, handOver: question.handOver });
  const cleared = await inquiry.patch(operations);
  const kept = cleared instanceof KubeError ? refusedOf(left, cleared) : leftIn(cleared, older);
  if (kept.length === 0 && !(cleared instanceof KubeError))
    return { after: inquiry.observeApplied(cleared), untangles: operations };
  const desired = question.child;
  const after = { ...inquiry.observe(newer), name: desired.name };
  return { after, refusal: immutableFields(desired, namesOf(kept, held)) };
}

/**
 * Names the kept fields that we used to hold. If we held none of them, names all: the server may have derived them from
 * fields that we held.
 */
function namesOf(kept: readonly Place[], held: JsonObject | undefined): readonly string[] {
  const given = kept.filter((place) => valueIn(held, place) !== undefined);
  return (given.length > 0 ? given : kept).map(pathOf);
}

/** Reports whether the apply drops or changes a field for another reason than drift. */
function mayLeave({ world, child, question }: Inquiry, { after }: DryRunResult): boolean {
  const { type, fields } = question;
  const isExempt = type.exposure !== undefined || isSameType(type, secret);
  if (isExempt || child?.ours === undefined) return false;
  const isDrift = appliedTo(world, child)?.desired === desiredDigest(fields, child.salt);
  return !isDrift && child.ours.values !== after?.ours?.values;
}

/** Returns those of the fields that a refusal names; all of them if it names none. */
function refusedOf(left: readonly Place[], error: KubeError): readonly Place[] {
  const fields = fieldsOf(error);
  const named = left.filter((place) => fields.includes(pathOf(place)));
  return named.length > 0 ? named : left;
}
