import type { Kind } from '../kinds/define-kind.ts';
import { childLabels } from './manifest.ts';
import type { ObservedChild, ObservedResource } from './observed.ts';

/**
 * Ours: its controller is this very resource. A uid in another namespace is somebody's claim, since an
 * owner is in the namespace of its dependents.
 */
export const isOwn = (
  { uid, namespace }: Pick<ObservedResource, 'uid' | 'namespace'>,
  child: Pick<ObservedChild, 'controller' | 'namespace'>,
): boolean => child.controller?.uid === uid && child.namespace === namespace;

/** Without a controller, and marked as this resource's child: restored by hand, or left by an earlier life of it. */
export const isOrphan = (
  kind: Kind,
  { name, namespace }: ObservedResource,
  child: ObservedChild,
): boolean =>
  child.controller === undefined &&
  child.namespace === namespace &&
  Object.entries(childLabels(kind, name)).every(
    ([label, value]) => child.labelled[label] === value,
  );
