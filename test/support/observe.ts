/** Observes objects of this repository's kinds and of built-in types as the engine does. */

import type { ChildType } from '../../shared/kinds/child-type.ts';
import { childTypesOf } from '../../shared/kinds/kind.ts';
import {
  isOfType,
  type KubeObject,
  type ManagedFieldsEntry,
  type ObjectRef,
} from '../../shared/kubernetes.ts';
import * as engine from '../../shared/plan/observed/observed.ts';
import * as resources from '../../shared/plan/observed/observed-resource.ts';
import { builtInTypes } from './child-types.ts';
import { config, kinds } from './config.ts';

export const { identity } = config;

export const childTypes = childTypesOf(kinds);

export function typeOf(ref: Pick<ObjectRef, 'apiVersion' | 'kind'>): ChildType {
  const type = builtInTypes.find((one) => isOfType(ref, one));
  if (type === undefined) throw new Error(`no kind may own ${ref.apiVersion} ${ref.kind}`);
  return type;
}

export const observeChild = (
  live: KubeObject,
  how: Omit<engine.Observation, 'identity'> = {},
): engine.ObservedChild => engine.observeChild(typeOf(live), live, { identity, ...how });

/** Observes a resource; without managedFields, as if we had applied its status. */
export function observeResource(live: KubeObject): resources.ObservedResource {
  const kind = kinds.find((one) => isOfType(live, one));
  if (kind === undefined)
    throw new Error(`${live.apiVersion} ${live.kind} is not one of our kinds`);
  const held = live.metadata.managedFields === undefined ? withStatusApplied(live) : live;
  return resources.observeResource(kind, held, { identity });
}

/** Adds the managedFields of an apply of the status. */
export function withStatusApplied<T extends KubeObject>(live: T): T {
  const names = Object.keys(live.status ?? {}).map((name) => [`f:${name}`, {}]);
  const entry: ManagedFieldsEntry = {
    manager: identity.name,
    operation: 'Apply',
    subresource: 'status',
    apiVersion: live.apiVersion,
    time: '2026-11-21T10:38:36Z',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:status': Object.fromEntries(names) },
  };
  return { ...live, metadata: { ...live.metadata, managedFields: [entry] } };
}
