import { canonicalJson } from '../../canonical.ts';
import { present } from '../../json.ts';
import type { Child } from '../../kinds/child.ts';
import { secret } from '../../kinds/child-types/core.ts';
import type { Reference } from '../../kinds/reads.ts';
import { rotationText } from '../../kinds/references/generated-data.ts';
import { isSameType, keyOf } from '../../kubernetes.ts';
import { desiredDigest, shortDigest } from '../observed/applied.ts';
import { ownStatusIn } from '../observed/recorded-status.ts';
import { contentOf, keyOfReference, refOf, type World } from '../observed/world.ts';
import { desiredOf, refToReference } from './desired.ts';

/**
 * Returns the digest of the desired children, by which a run recognizes its own version of the kind's code. Of a
 * Secret, includes only name and rotation, because users who must not read the Secret can see the digest.
 */
export function rolloutTargetOf(world: World): string {
  const contents = contentsIn(world, ({ type }) => isSameType(type, secret));
  return contents ? shortDigest([...contents].map((one) => one.join(' ')).join('\n')) : '';
}

/** Once the time `lastApplied.until` has come, compares each desired child now and just before that time. */
export function dueToTimeIn(world: World): World['dueToTime'] {
  const until = Date.parse(world.resource.status.lastApplied?.until ?? '');
  if (!(until <= (world.now ?? 0))) return undefined;
  const [before, after] = [{ ...world, now: until - 1 }, world].map((at) => contentsIn(at));
  return (child) => before?.get(keyOf(child)) !== after?.get(keyOf(child));
}

function contentsIn(world: World, isHidden = (_: Child): boolean => false) {
  const desired = desiredOf(world);
  if (!('children' in desired)) return undefined;
  const contentOf = (one: Child): string => {
    const { generated, body, labels, annotations } = one;
    const rotation = (generated && rotationText(generated)) ?? '';
    return isHidden(one) ? rotation : `${rotation}${desiredDigest({ body, labels, annotations })}`;
  };
  return new Map(desired.children.map((one) => [keyOf(refOf(one)), contentOf(one)]));
}

/**
 * Returns the digest of the referenced objects and, with `readsLabels`, of the resource's labels; then, if the kind
 * reads the resource itself, that of the status it sets. Of a Secret, only the resourceVersion counts: otherwise users
 * who can read only the resource could guess values until a digest matches.
 */
export function readsOf(world: World, readsLabels = false): string | undefined {
  const { kind, resource } = world;
  if (kind.refersTo.length === 0 && !readsLabels) return undefined;
  const references = kind.references(resource);
  if ('invalid' in references) return undefined;
  const itself = keyOfReference({ ...resource, type: kind });
  const others = references.filter((one) => keyOfReference(one) !== itself);
  const contents = others.map((one) => `${keyOfReference(one)} ${contentIn(world, one)}`);
  const labels = readsLabels ? [canonicalJson(resource.labels ?? {})] : [];
  const digest = shortDigest([...contents, ...labels].join('\n'));
  if (others.length === references.length) return digest;
  return `${digest} ${shortDigest(canonicalJson(ownStatusIn(kind, resource.status)))}`;
}

/** Returns the objects that the kind has read, once for each reference to them. */
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

function contentIn({ reads }: World, reference: Reference): string {
  const { object, resourceVersion = '' } = reads.get(keyOfReference(reference)) ?? {};
  if (object === undefined) return '';
  return isSameType(reference.type, secret) ? resourceVersion : contentOf(object);
}
