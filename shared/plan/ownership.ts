import type { Kind } from '../kinds/define-kind.ts';
import { childLabels } from './manifest.ts';
import type { ObservedChild, ObservedResource } from './observed.ts';

/** Ours: its controller is this very resource. */
export const isOwn = (
  { uid }: Pick<ObservedResource, 'uid'>,
  { controller }: Pick<ObservedChild, 'controller'>,
): boolean => controller?.uid === uid;

/** Nobody's, and marked as this resource's child: restored by hand, or left by an earlier life of it. */
export const isOrphan = (
  kind: Kind,
  { name }: ObservedResource,
  { controller, labelled }: ObservedChild,
): boolean =>
  controller === undefined &&
  Object.entries(childLabels(kind, name)).every(([label, value]) => labelled[label] === value);
