import type { Child, Kind } from '../kinds/define-kind.ts';
import { fieldManager, label, labelValue } from '../kinds/names.ts';
import type { Resource } from '../kinds/resource.ts';
import {
  apiVersionOf,
  type JsonObject,
  type Manifest,
  type ObjectRef,
  type ObjectVersion,
} from '../kubernetes.ts';

/** The labels that identify a child's resource; lists of children select by them. */
export const childLabels = (kind: Kind, name: string): Readonly<Record<string, string>> => ({
  [label.managedBy]: fieldManager,
  [label.partOf]: kind.kind.toLowerCase(),
  [label.instance]: labelValue(name),
});

/** The fields of a child that we own: an apply sends them, and drift is measured by them. */
export function desiredFields(kind: Kind, resource: Resource<unknown>, child: Child): JsonObject {
  const owner = {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    name: resource.name,
    uid: resource.uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  return {
    ...child.body,
    metadata: {
      labels: { ...child.labels, ...childLabels(kind, resource.name) },
      ...(child.annotations === undefined ? {} : { annotations: child.annotations }),
      ownerReferences: [owner],
    },
  };
}

/** The body of a locked apply. For absence it names a resourceVersion that no live object has. */
export function manifestOf(
  { child, namespace }: { readonly child: ObjectRef; readonly namespace: string },
  fields: JsonObject,
  lock: ObjectVersion | 'absent',
): Manifest {
  const { apiVersion, kind, name } = child;
  const held = lock === 'absent' ? { resourceVersion: '1' } : lock;
  const metadata = { ...(fields.metadata as JsonObject | undefined), name, namespace, ...held };
  return { ...fields, apiVersion, kind, metadata };
}
