import { badRequest, otherNamespace, unnamed } from '../errors/errors.ts';
import type { KubeObject } from '../objects/object.ts';
import type { Target } from './target.ts';

/** Refuses an object that is not the one its address names: the namespace is looked at first. */
export const assertAddressed = (
  { metadata = {} }: KubeObject,
  { name, namespace }: Target,
): void => {
  if (namespace !== '' && metadata.namespace && metadata.namespace !== namespace) {
    throw otherNamespace();
  }
  if (!metadata.name) throw unnamed(name);
  if (metadata.name !== name) {
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${name})`,
    );
  }
};
