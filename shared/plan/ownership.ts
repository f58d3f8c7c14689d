import type { Kind } from '../kinds/define-kind.ts';
import { childLabels } from './manifest.ts';
import type { ObservedChild, ObservedResource } from './observed.ts';

/**
 * Ours: its controller is this resource, by uid. In another namespace the reference is invalid, since
 * an owner is in the namespace of its dependents.
 */
export const isOwn = (
  { uid, namespace }: Pick<ObservedResource, 'uid' | 'namespace'>,
  child: Pick<ObservedChild, 'controller' | 'namespace'>,
): boolean => child.controller?.uid === uid && child.namespace === namespace;

/** No controller, but this resource's labels: restored by hand, or left by an earlier resource of its name. */
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
