import { internal } from '../errors/api-errors.ts';
import { valueDepthProblem } from '../json/depth.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Served } from '../resources/resource.ts';

/**
 * Converts the object to the form that its collection stores; throws a 500 if its managedFields make it too deep to be
 * read back.
 *
 * Caveats: the real server stores such a custom resource before it reports the error, and then can neither list nor
 * watch the kind until the object is removed from etcd.
 */
export function storable({ resource, version }: Served, object: KubeObject): KubeObject {
  const stored = version.conversion ? version.conversion.toStored(object) : object;
  const problem = resource.custom ? valueDepthProblem(stored) : undefined;
  if (problem !== undefined) throw internal(problem);
  return stored;
}
