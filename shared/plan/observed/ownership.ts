import { childLabels } from './apply-manifest.ts';
import type { ObservedChild } from './observed.ts';
import type { ObservedResource } from './observed-resource.ts';
import type { Subject } from './world.ts';

type Owner = Pick<ObservedResource, 'uid' | 'namespace'>;
type Owned = Pick<ObservedChild, 'controller' | 'namespace'>;

/** Reports whether this resource is the child's controller, by uid, and may own it. */
export const isOwn = (resource: Owner, child: Owned): boolean =>
  child.controller?.uid === resource.uid && isWithinReach(resource, child);

/** Reports whether the owner is cluster-scoped or in the child's namespace. Any other owner reference is invalid. */
const isWithinReach = ({ namespace }: Omit<Owner, 'uid'>, child: Omit<Owned, 'controller'>) =>
  namespace === '' || child.namespace === undefined;

/**
 * Reports whether a confirmed adoption takes the child over: it has our labels, and no controller or an
 * earlier resource of this name.
 *
 * Caveats: read the resource after the child. Otherwise the child's controller may be a newer resource of
 * this name.
 */
export const isAdoptable = (subject: Subject, child: ObservedChild): boolean =>
  !child.deleting &&
  isOrphan(subject, child.inherited ? { ...child, controller: undefined } : child);

/** Reports whether a child has our labels but no controller, as after a restore by hand. */
export const isOrphan = (subject: Subject, child: ObservedChild): boolean =>
  child.controller === undefined &&
  isWithinReach(subject.resource, child) &&
  Object.entries(childLabels(subject)).every(([label, value]) => child.labelled[label] === value);
