/** Edits by other writers to a live object, with the resulting managedFields. */

import { serverSideApply } from '@serverless-reconciler/local-cluster/apply';
import { readBuiltInSchemas } from '@serverless-reconciler/local-cluster/schemas';
import { trackUpdate } from '@serverless-reconciler/local-cluster/update';
import type { KubeObject } from '../../shared/kubernetes.ts';

/** A JSON value that a test may change in place. */
// biome-ignore lint/suspicious/noExplicitAny: an edit reaches anywhere into an object
export type Draft = any;

export interface Editor {
  readonly by: string;
  /** Time of the edit (RFC 3339). */
  readonly at?: string;
  readonly subresource?: string;
}

const schemas = readBuiltInSchemas();

const sourceOf = ({ apiVersion, kind }: KubeObject) => {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  return schemas.schemaOf(group, version, kind);
};

/** Returns the object after a PUT, POST or patch: the editor owns its fields, and removed fields have no owner. */
export function edited<T extends KubeObject>(
  live: T,
  { by, at = '2026-11-21T11:00:00Z', subresource }: Editor,
  change: (draft: Draft) => void,
): T {
  const updated = structuredClone(live) as Draft;
  change(updated);
  const tracked = trackUpdate({
    source: sourceOf(live),
    old: live,
    updated,
    manager: by,
    apiVersion: live.apiVersion,
    subresource,
    now: at,
  });
  return bumped(tracked);
}

/** Returns the object after `kubectl scale`, whose managedFields entry has no time. */
export function scaled<T extends KubeObject>(live: T, replicas: number): T {
  const { metadata, ...rest } = edited(
    live,
    { by: 'kubectl', subresource: 'scale' },
    ({ spec }) => {
      spec.replicas = replicas;
    },
  );
  const managedFields = metadata.managedFields?.map(({ time, ...entry }) =>
    entry.subresource === 'scale' || time === undefined ? entry : { ...entry, time },
  );
  return { ...rest, metadata: { ...metadata, managedFields } } as unknown as T;
}

/** Returns the object after a forced server-side apply; the identical object if nothing changes. */
export function applied<T extends KubeObject>(
  live: T | undefined,
  { by, at = '2026-11-21T12:00:00Z' }: Editor,
  fields: object,
): T {
  const { apiVersion, kind } = fields as KubeObject;
  const result = serverSideApply({
    source: sourceOf({ apiVersion, kind } as KubeObject),
    live,
    applied: fields,
    manager: by,
    apiVersion,
    force: true,
    now: at,
  });
  if (result.kind !== 'merged') throw new Error(JSON.stringify(result));
  return result.object === (live as unknown) ? (live as T) : bumped(result.object as Draft);
}

const bumped = (object: Draft) => ({
  ...object,
  metadata: {
    ...object.metadata,
    resourceVersion: String(Number(object.metadata.resourceVersion ?? '0') + 1),
  },
});
