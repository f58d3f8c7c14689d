import { isSameType, type ObjectMeta, qualifiedName } from '../../kubernetes.ts';
import { isSelected, type Labels } from '../../label-selector.ts';
import { secret } from '../child-types/core.ts';
import { readableByAnnotation } from '../names.ts';
import type { Reader, Reference } from '../reads.ts';

interface Metadata extends Pick<ObjectMeta, 'namespace' | 'annotations' | 'ownerReferences'> {
  readonly labels?: Labels | undefined;
}

/** Maximum number of objects that a selector may match. */
export const maxSelected = 256;

/** Ignores grants. */
export const isInSelection = (
  { namespace, selector }: Reference,
  { namespace: live = '', labels }: Metadata,
): boolean =>
  selector !== undefined &&
  (namespace === '' || namespace === live) &&
  isSelected(selector, labels);

/** Reports whether the reference names this Secret, or may select it by labels. */
export const mayProvide = (
  { type, namespace, name, selector }: Reference,
  source: { readonly namespace: string; readonly name: string },
): boolean =>
  isSameType(type, secret) &&
  (namespace === source.namespace || (selector !== undefined && namespace === '')) &&
  (name === source.name || selector !== undefined);

export const unreadSource =
  "is not read by the kind; add it to `reads`, with `from: 'granted'` if it is in another namespace";

/** Returns the reader's name in `readable-by`: `team-a/bots.example.org`; cluster-scoped: `tenants.example.org`. */
export const granteeOf = ({ namespace, resource }: Reader): string =>
  qualifiedName(namespace, resource);

/** Reports whether the resource may read the object, and is not its controller. */
export function isReadable({ reader, owner }: Reference, live: Metadata) {
  const { namespace = '', annotations = {}, ownerReferences = [] } = live;
  if (owner && ownerReferences.some((one) => one.controller && one.uid === owner)) return false;
  if (reader === undefined || reader.namespace === namespace) return true;
  const granted: unknown = annotations[readableByAnnotation];
  if (typeof granted !== 'string') return false;
  const names = granted.split(',').map((text) => text.trim());
  const anywhere = granteeOf({ ...reader, namespace: '*' });
  return names.includes(granteeOf(reader)) || (reader.namespace !== '' && names.includes(anywhere));
}
