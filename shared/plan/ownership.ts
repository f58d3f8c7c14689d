import { childSelector } from './manifest.ts';
import type { ObservedChild, ObservedResource } from './observed.ts';
import type { Subject } from './world.ts';

/**
 * Ours: its controller is this resource, by uid. In another namespace the reference is invalid, since
 * an owner is in the namespace of its dependents.
 */
export const isOwn = (
  { uid, namespace }: Pick<ObservedResource, 'uid' | 'namespace'>,
  child: Pick<ObservedChild, 'controller' | 'namespace'>,
): boolean => child.controller?.uid === uid && child.namespace === namespace;

/** No controller, but this resource's labels: restored by hand, or left by an earlier resource of its name. */
export const isOrphan = (subject: Subject, child: ObservedChild): boolean =>
  child.controller === undefined &&
  child.namespace === subject.resource.namespace &&
  Object.entries(childSelector(subject)).every(([label, values]) =>
    [values].flat().includes(child.labelled[label] ?? ''),
  );
