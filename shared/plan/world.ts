import { apiVersionOf, type ObjectRef, type ResourceType } from '../kubernetes.ts';
import type { ObservedChild } from './observed.ts';

/** What is known beside one resource: everything observed, and names that were read and found absent. */
export interface World {
  readonly children: ReadonlyMap<string, ObservedChild>;
  readonly absent: ReadonlySet<string>;
  /** Names that could not be read, and why. */
  readonly unread?: ReadonlyMap<string, Unread>;
}

export interface Unread {
  readonly reason: string;
  readonly message: string;
  readonly transient: boolean;
}

/** A name and where to read it. */
export interface Unseen extends ObjectRef {
  readonly type: ResourceType;
}

export const keyOf = ({ apiVersion, kind, name }: ObjectRef): string =>
  `${apiVersion}/${kind}/${name}`;

export const refTo = (type: ResourceType, name: string): ObjectRef => ({
  apiVersion: apiVersionOf(type),
  kind: type.kind,
  name,
});

/** Observed, or asked for by name: absent, or not to be read. */
export const isKnown = ({ children, absent, unread }: World, ref: ObjectRef): boolean =>
  [children, absent, unread].some((known) => known?.has(keyOf(ref)) === true);
