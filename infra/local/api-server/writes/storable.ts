import { internal } from '../errors/api-errors.ts';
import { valueDepthProblem } from '../json/depth.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Served } from '../resources/resource.ts';

/**
 * The object in the form its collection keeps; 500 where its managedFields make it deeper than can be
 * read back.
 *
 * Caveats: the real server stores such a custom resource before it says so, and then can neither
 * list nor watch its kind until the object is taken out of etcd.
 */
export function storable({ resource, version }: Served, object: KubeObject): KubeObject {
  const stored = version.conversion ? version.conversion.toStored(object) : object;
  const problem = resource.custom ? valueDepthProblem(stored) : undefined;
  if (problem !== undefined) throw internal(problem);
  return stored;
}
