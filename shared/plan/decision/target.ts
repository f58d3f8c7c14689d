import { canonicalJson } from '../../canonical.ts';
import { present } from '../../json.ts';
import { secret } from '../../kinds/child-types/core.ts';
import type { Reference } from '../../kinds/reads.ts';
import { rotationText } from '../../kinds/references/generated-data.ts';
import { isSameType, keyOf, type ObjectRef } from '../../kubernetes.ts';
import { desiredDigest, shortDigest } from '../observed/applied.ts';
import { contentOf, keyOfReference, refOf, type World } from '../observed/world.ts';
import { desiredOf, refToReference } from './desired.ts';

/**
 * Returns a digest of the desired children, by which a run recognizes its own version of the kind's code; with `only`,
 * of one child. Without, includes only name and rotation of a Secret, because users who must not read it see the digest.
 */
export function rolloutTargetOf(world: World, only?: ObjectRef): string {
  const desired = desiredOf(world);
  if (!('children' in desired)) return '';
  const all = desired.children.flatMap((one) => {
    const { type, generated, body, labels, annotations } = one;
    const key = keyOf(refOf(one));
    if (only !== undefined && key !== keyOf(only)) return [];
    const rotation = (generated && rotationText(generated)) ?? '';
    const isHidden = only === undefined && isSameType(type, secret);
    return `${key} ${rotation}${isHidden ? '' : desiredDigest({ body, labels, annotations })}`;
  });
  return shortDigest(all.join('\n'));
}

/** Reports whether the child is desired differently since a time has come that the kind asked about in the last run. */
export function isDue(world: World, child: ObjectRef): boolean {
  const until = Date.parse(world.resource.status.lastApplied?.until ?? '');
  if (!(until <= (world.now ?? 0))) return false;
  return rolloutTargetOf({ ...world, now: until - 1 }, child) !== rolloutTargetOf(world, child);
}

/**
 * Returns the digest of the referenced objects; with `readsLabels`, also of the resource's labels. A Secret counts only
 * by its resourceVersion: otherwise users who can read only the resource could guess values until a digest matches.
 */
export function readsOf({ kind, resource, reads }: World, readsLabels = false): string | undefined {
  if (kind.refersTo.length === 0 && !readsLabels) return undefined;
  const references = kind.references(resource);
  if ('invalid' in references) return undefined;
  const contents = references.map((one) => `${keyOfReference(one)} ${contentIn(reads, one)}`);
  const labels = readsLabels ? [canonicalJson(resource.labels ?? {})] : [];
  return shortDigest([...contents, ...labels].join('\n'));
}

/** Returns the objects that the kind has read, each as often as it is referred to. */
export function objectsRead({ kind, resource, reads }: World) {
  const references = reads.size > 0 ? kind.references(resource) : [];
  if ('invalid' in references) return [];
  return references.flatMap((one) => {
    const { resourceVersion, selected } = reads.get(keyOfReference(one)) ?? {};
    const objects = selected ?? [{ ...one, resourceVersion }];
    return objects.map((object) => ({
      ...refToReference(resource, { ...one, ...object }),
      ...present({ resourceVersion: object.resourceVersion }),
    }));
  });
}

function contentIn(reads: World['reads'], reference: Reference): string {
  const { object, resourceVersion = '' } = reads.get(keyOfReference(reference)) ?? {};
  if (object === undefined) return '';
  return isSameType(reference.type, secret) ? resourceVersion : contentOf(object);
}
