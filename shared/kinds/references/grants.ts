import { type ObjectMeta, qualifiedName } from '../../kubernetes.ts';
import { isSelected, type Labels } from '../../label-selector.ts';
import { readableByAnnotation } from '../names.ts';
import type { Reader, Reference } from '../reads.ts';

interface Metadata extends Pick<ObjectMeta, 'namespace' | 'annotations'> {
  readonly labels?: Labels | undefined;
}

/** The most objects that one selector may find. */
export const maxSelected = 256;

/** Reports whether a selector finds an object, apart from its grant. */
export const isInSelection = (
  { namespace, selector }: Reference,
  { namespace: live = '', labels }: Metadata,
): boolean =>
  selector !== undefined &&
  (namespace === '' || namespace === live) &&
  isSelected(selector, labels);

/** `team-a/bots.example.org`, as a grant names the resources of a namespace; `tenants.example.org` if they have none. */
export const granteeOf = ({ namespace, resource }: Reader): string =>
  qualifiedName(namespace, resource);

/** Reports whether the object may be read for the resource: it needs no grant, or its owner has granted it. */
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
