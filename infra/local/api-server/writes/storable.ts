import type { KubeObject } from '../objects/object.ts';
import type { Served } from '../resources/resource.ts';

/** The object in the form its collection keeps. */
export const storable = ({ version }: Served, object: KubeObject): KubeObject =>
  version.conversion ? version.conversion.toStored(object) : object;
