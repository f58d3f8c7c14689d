import { badRequest, otherNamespace, unnamed } from '../errors/api-errors.ts';
import { type JsonObject, objectAt } from '../json/value.ts';
import type { Target } from '../resources/target.ts';

/** Refuses a body whose namespace or name differs from the URL; checks the namespace first. */
export function assertAddressed(object: JsonObject, { name, namespace }: Target): void {
  const metadata = objectAt(object, 'metadata');
  if (namespace !== '' && metadata.namespace && metadata.namespace !== namespace) {
    throw otherNamespace();
  }
  if (!metadata.name) throw unnamed(name);
  if (metadata.name !== name) {
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${name})`,
    );
  }
}
