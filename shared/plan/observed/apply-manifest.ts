import type { Child } from '../../kinds/child.ts';
import { saltAnnotation } from '../../kinds/names.ts';
import type { Resource } from '../../kinds/reads.ts';
import {
  apiVersionOf,
  type JsonObject,
  type Manifest,
  type ObjectRef,
  type ObjectVersion,
} from '../../kubernetes.ts';
import { childLabels, type Family, type NamedResource, refTo } from './world.ts';

/** Some fields of the result may be undefined; the caller must remove them. */
export function desiredFields(
  family: Family & { readonly resource: Resource<unknown> & { readonly deleting?: boolean } },
  { body, labels, annotations }: Child,
): JsonObject {
  const { kind, resource } = family;
  const owner = {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    name: resource.name,
    uid: resource.uid,
    controller: true,
    // A foreground deletion deletes the children that block it, so children of a clean-up must not block it.
    blockOwnerDeletion: resource.deleting !== true,
  };
  return {
    ...body,
    metadata: {
      labels: { ...labels, ...childLabels(family) },
      // If we applied an empty map, we would own the map, with everything that others put into it.
      ...(Object.keys(annotations ?? {}).length > 0 ? { annotations } : {}),
      ownerReferences: [owner],
    },
  };
}

export function salted(fields: JsonObject, salt: string): JsonObject {
  const metadata = fields.metadata as JsonObject | undefined;
  const annotations = metadata?.annotations as JsonObject | undefined;
  return {
    ...fields,
    metadata: { ...metadata, annotations: { ...annotations, [saltAnnotation]: salt } },
  };
}

export function unsalted({ metadata, ...manifest }: Manifest): JsonObject {
  const { annotations, ...own } = metadata as JsonObject;
  const { [saltAnnotation]: _, ...others } = (annotations ?? {}) as JsonObject;
  const isEmpty = Object.keys(others).length === 0;
  return { ...manifest, metadata: { ...own, ...(isEmpty ? {} : { annotations: others }) } };
}

/** For the lock `absent`, sets a resourceVersion that no object has, so that the apply fails if the object exists. */
export function manifestOf(
  { child, namespace }: { readonly child: ObjectRef; readonly namespace: string },
  fields: JsonObject,
  lock: Partial<ObjectVersion> | 'absent',
): Manifest {
  const { apiVersion, kind, name } = child;
  const metadata = {
    ...(fields.metadata as JsonObject | undefined),
    name,
    ...(namespace === '' ? {} : { namespace }),
    ...(lock === 'absent' ? { resourceVersion: '1' } : lock),
  };
  return { ...fields, apiVersion, kind, metadata };
}

export const resourceManifest = (
  { kind, resource: { name, namespace } }: NamedResource,
  fields: JsonObject,
  lock: Partial<ObjectVersion>,
): Manifest => manifestOf({ child: refTo(kind, name), namespace }, fields, lock);
