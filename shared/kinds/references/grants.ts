import { type ObjectMeta, qualifiedName } from '../../kubernetes.ts';
import { isSelected, type Labels } from '../../label-selector.ts';
import { readableByAnnotation } from '../names.ts';
import type { Reader, Reference } from '../reads.ts';

interface Metadata extends Pick<ObjectMeta, 'namespace' | 'annotations'> {
  readonly labels?: Labels | undefined;
}

/** The maximum number of objects that one selector may match. */
export const maxSelected = 256;

/** Reports whether a selector matches an object. Ignores grants. */
export const isInSelection = (
  { namespace, selector }: Reference,
  { namespace: live = '', labels }: Metadata,
): boolean =>
  selector !== undefined &&
  (namespace === '' || namespace === live) &&
  isSelected(selector, labels);

/** Names a reader as a grant does: `team-a/bots.example.org`, or `tenants.example.org` if cluster-scoped. */
export const granteeOf = ({ namespace, resource }: Reader): string =>
  qualifiedName(namespace, resource);

/** Reports whether the resource may read the object: it needs no grant, or the object's annotation grants it. */
export function isGranted(
  { reader }: Reference,
  { namespace = '', annotations = {} }: Metadata,
): boolean {
  if (reader === undefined || reader.namespace === namespace) return true;
  const granted: unknown = annotations[readableByAnnotation];
  if (typeof granted !== 'string') return false;
  const names = granted.split(',').map((text) => text.trim());
  const anywhere = granteeOf({ ...reader, namespace: '*' });
  return names.includes(granteeOf(reader)) || (reader.namespace !== '' && names.includes(anywhere));
}
