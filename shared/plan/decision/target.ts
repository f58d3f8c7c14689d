import { canonicalJson } from '../../canonical.ts';
import { present } from '../../json.ts';
import { secret } from '../../kinds/child-types/core.ts';
import type { Reference } from '../../kinds/reads.ts';
import { rotationText } from '../../kinds/references/generated-data.ts';
import { isSameType, keyOf } from '../../kubernetes.ts';
import { desiredDigest, shortDigest } from '../observed/applied.ts';
import { contentOf, keyOfReference, refOf, type World } from '../observed/world.ts';
import { desiredOf, refToReference } from './desired.ts';

/**
 * Returns the digest of the desired children, by which a run recognizes its own version of the kind's code. Of a
 * Secret, includes only name and rotation, because users who must not read the Secret can see the digest.
 */
export function rolloutTargetOf(world: World): string {
  const desired = desiredOf(world);
  if (!('children' in desired)) return '';
  const all = desired.children.map((one) => {
    const { type, generated, body, labels, annotations } = one;
    const content = isSameType(type, secret)
      ? ((generated && rotationText(generated)) ?? '')
      : desiredDigest({ body, labels, annotations });
    return `${keyOf(refOf(one))} ${content}`;
  });
  return shortDigest(all.join('\n'));
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
