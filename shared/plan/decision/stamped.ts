import { hash } from 'node:crypto';
import { withoutUndefined } from '../../canonical.ts';
import { secret } from '../../kinds/child-types/core.ts';
import { appliedAnnotation, label } from '../../kinds/names.ts';
import type { Reference } from '../../kinds/reads.ts';
import { isSameType, type JsonObject } from '../../kubernetes.ts';
import { desiredFields } from '../observed/apply-manifest.ts';
import { shortJson } from '../observed/short-text.ts';
import { type Stamp, stampText } from '../observed/stamp.ts';
import { keyOf, keyOfReference, refOf, type World } from '../observed/world.ts';
import { desiredOf } from './desired.ts';

/** `fields` are those that are applied, none undefined; what does not stem from the kind does not count. */
export function stampOf({ metadata, ...content }: JsonObject, world: World): Stamp {
  const { ownerReferences: _, labels, ...more } = (metadata ?? {}) as JsonObject;
  const { [label.managedBy]: __, ...own } = (labels ?? {}) as JsonObject;
  const wanted = { ...content, metadata: { ...more, labels: own } };
  const { generation } = world.resource;
  return { generation, fields: digest(shortJson(wanted)), reads: readsOf(world) };
}

/** A digest of everything that a resource wants now; of another version of the code it is another. */
export function targetOf(world: World): string {
  const desired = desiredOf(world);
  if (!('children' in desired)) return '';
  const all = desired.children.map((one) => {
    const fields = withoutUndefined(desiredFields(world, one));
    return `${keyOf(refOf(one))} ${stampOf(fields, world).fields}`;
  });
  return digest(all.join('\n'));
}

/**
 * The fields with the stamp, as they are sent; that of the child stays if the same fields are applied again, as
 * another annotation would increase the generation of a Deployment.
 */
export function stamped(fields: JsonObject, world: World, before: Stamp | undefined): JsonObject {
  const stamp = stampOf(fields, world);
  const text = stampText(before?.fields === stamp.fields ? before : stamp);
  const metadata = fields.metadata as JsonObject | undefined;
  const annotations = metadata?.annotations as JsonObject | undefined;
  return {
    ...fields,
    metadata: { ...metadata, annotations: { ...annotations, [appliedAnnotation]: text } },
  };
}

/**
 * A digest of what the resource refers to. A Secret counts by its version: otherwise a user who may read the child
 * but not the Secret could guess values until the digest matches.
 */
export function readsOf({ kind, resource, reads }: World): string | undefined {
  if (kind.refersTo.length === 0) return undefined;
  const references = kind.references(resource);
  if ('invalid' in references) return undefined;
  const texts = references.map((one) => `${keyOfReference(one)} ${contentOf(one, reads)}`);
  return digest(texts.join('\n'));
}

function contentOf(reference: Reference, reads: World['reads']): string {
  const found = reads?.get(keyOfReference(reference));
  if (found === undefined || !('object' in found)) return '';
  return isSameType(reference.type, secret)
    ? (found.resourceVersion ?? '')
    : (found.object?.digest ?? '');
}

const digest = (text: string): string => hash('sha256', text).slice(0, 16);
