import { isSemanticallyEqual } from '../objects/equality.ts';
import type { KubeObject } from '../objects/object.ts';

/** A new generation is a change of the spec. */
export const specChanged = (object: KubeObject, old: KubeObject): boolean =>
  !isSemanticallyEqual(object.spec, old.spec);

/** Deployments copy their annotations to what they make, so these count too. */
export const specOrAnnotationsChanged = (object: KubeObject, old: KubeObject): boolean =>
  specChanged(object, old) ||
  !isSemanticallyEqual(object.metadata.annotations, old.metadata.annotations);
