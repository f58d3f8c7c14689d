import { withoutUndefined } from '../../canonical.ts';
import { secret } from '../../kinds/child-types/core.ts';
import { label } from '../../kinds/names.ts';
import { isSelecting, type Reference } from '../../kinds/reads.ts';
import { rotationText } from '../../kinds/references/generated-data.ts';
import { marksOf } from '../../kinds/references/marks.ts';
import { isSameType, type JsonObject, keyOf } from '../../kubernetes.ts';
import { digestOf, wantedDigest } from '../observed/applied.ts';
import { desiredFields } from '../observed/apply-manifest.ts';
import { keyOfReference, refOf, type World } from '../observed/world.ts';
import { desiredOf } from './desired.ts';

/**
 * Digest of everything that a resource wants now, with this version of the kind's code. A Secret counts by its name
 * and rotation: the digest is shown to users who may not read it.
 */
export function targetOf(world: World): string {
  const desired = desiredOf(world);
  if (!('children' in desired)) return '';
  const all = desired.children.map((one) => {
    if (isSameType(one.type, secret))
      return `${keyOf(refOf(one))} ${(one.generated && rotationText(one.generated)) ?? ''}`;
    const fields = withoutUndefined(desiredFields(world, one));
    return `${keyOf(refOf(one))} ${wantedDigest(ofTheKind(fields))}`;
  });
  return digestOf(all.join('\n'));
}

/** Removes the owner reference and the label `managedBy`, which do not come from the kind. */
function ofTheKind({ metadata, ...content }: JsonObject): JsonObject {
  const { ownerReferences: _, labels, ...more } = (metadata ?? {}) as JsonObject;
  const { [label.managedBy]: __, ...own } = (labels ?? {}) as JsonObject;
  return { ...content, metadata: { ...more, labels: own } };
}

/**
 * Digest of the referenced objects. A Secret counts by its version: otherwise a user who may read the child but not the
 * Secret could guess values until the digest matches.
 */
export function readsOf({ kind, resource, reads }: World): string | undefined {
  if (kind.refersTo.length === 0) return undefined;
  const references = kind.references(resource);
  if ('invalid' in references) return undefined;
  const texts = references.map((one) => `${keyOfReference(one)} ${contentOf(one, reads)}`);
  return digestOf(texts.join('\n'));
}

/** Marks what selectors have found; undefined if not everything is known. */
export function selectedIn({ kind, resource, reads }: World): string | undefined {
  const references = isSelecting(kind) ? kind.references(resource) : [];
  if ('invalid' in references) return undefined;
  const selections = references.filter(({ selector }) => selector !== undefined);
  const found = selections.map((one) => {
    const answer = reads?.get(keyOfReference(one));
    const selected = answer !== undefined && 'selected' in answer ? answer.selected : undefined;
    return selected?.map((object) => keyOfReference({ ...object, type: one.type }));
  });
  return found.every((one) => one !== undefined) ? marksOf(found.flat()) : undefined;
}

function contentOf(reference: Reference, reads: World['reads']): string {
  const found = reads?.get(keyOfReference(reference));
  if (found === undefined || !('object' in found)) return '';
  return isSameType(reference.type, secret)
    ? (found.resourceVersion ?? '')
    : (found.object?.digest ?? '');
}
