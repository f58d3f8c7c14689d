import { childSelector } from './apply-manifest.ts';
import type { ObservedChild, ObservedResource } from './observed.ts';
import type { Subject } from './world.ts';

type Owner = Pick<ObservedResource, 'uid' | 'namespace'>;
type Owned = Pick<ObservedChild, 'controller' | 'namespace'>;

/** Ours: its controller is this resource, by uid, and it is where children of this resource can be. */
export const isOwn = (resource: Owner, child: Owned): boolean =>
  child.controller?.uid === resource.uid && isWithinReach(resource, child);

/** An owner is in the namespace of its dependents, or in none: elsewhere the reference is invalid. */
const isWithinReach = ({ namespace }: Omit<Owner, 'uid'>, child: Omit<Owned, 'controller'>) =>
  namespace === '' || child.namespace === undefined;

/** No controller, but this resource's labels: restored by hand, or left by an earlier resource of its name. */
export const isOrphan = (subject: Subject, child: ObservedChild): boolean =>
  child.controller === undefined &&
  isWithinReach(subject.resource, child) &&
  Object.entries(childSelector(subject)).every(([label, values]) =>
    [values].flat().includes(child.labelled[label] ?? ''),
  );
