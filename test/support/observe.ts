/** The engine's observations of objects whose kind or type is one of this repository's. */

import type { ChildType } from '../../shared/kinds/child-type.ts';
import { persistentVolumeClaim } from '../../shared/kinds/child-types/core.ts';
import { childTypesOf } from '../../shared/kinds/define-kind.ts';
import { isOfType, type KubeObject, type ObjectRef } from '../../shared/kubernetes.ts';
import * as engine from '../../shared/plan/observed.ts';
import type { Pool } from '../../shared/plan/unreadable.ts';
import { config, kinds } from './config.ts';

export const { identity } = config;

export const childTypes = childTypesOf(kinds);

export function typeOf(ref: Pick<ObjectRef, 'apiVersion' | 'kind'>): ChildType {
  const type = [...childTypes, persistentVolumeClaim].find((one) => isOfType(ref, one));
  if (type === undefined) throw new Error(`no kind owns ${ref.apiVersion} ${ref.kind}`);
  return type;
}

export const observeChild = (live: KubeObject, pool?: Pool): engine.ObservedChild =>
  engine.observeChild(typeOf(live), live, { identity, pool });

export function observeResource(live: KubeObject): engine.ObservedResource {
  const kind = kinds.find((one) => isOfType(live, one));
  if (kind === undefined)
    throw new Error(`${live.apiVersion} ${live.kind} is not one of our kinds`);
  return engine.observeResource(kind, live, { identity });
}
