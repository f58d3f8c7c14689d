import { childSelector } from './apply-manifest.ts';
import type { ObservedChild, ObservedResource } from './observed.ts';
import type { Subject } from './world.ts';

type Owner = Pick<ObservedResource, 'uid' | 'namespace'>;
type Owned = Pick<ObservedChild, 'controller' | 'namespace'>;

/** Reports whether this resource controls the child, by uid, and can own it. */
export const isOwn = (resource: Owner, child: Owned): boolean =>
  child.controller?.uid === resource.uid && isWithinReach(resource, child);

/** Reports whether the owner is cluster-scoped or in the child's namespace; other owner references are invalid. */
const isWithinReach = ({ namespace }: Omit<Owner, 'uid'>, child: Omit<Owned, 'controller'>) =>
  namespace === '' || child.namespace === undefined;

/**
 * Reports whether a confirmed adoption takes the child over: an orphan, or one whose controller was an earlier resource
 * of this name.
 *
 * Caveats: the resource must have been read after the child. Then the uid that the child names no longer exists.
 */
export const isAdoptable = (subject: Subject, child: ObservedChild): boolean =>
  !child.deleting &&
  isOrphan(subject, child.inherited ? { ...child, controller: undefined } : child);

/** Reports whether a child has our labels but no controller: restored by hand, or left by an earlier resource. */
export const isOrphan = (subject: Subject, child: ObservedChild): boolean =>
  child.controller === undefined &&
  isWithinReach(subject.resource, child) &&
  Object.entries(childSelector(subject)).every(([label, values]) =>
    [values].flat().includes(child.labelled[label] ?? ''),
  );
