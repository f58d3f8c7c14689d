import { apiVersionOf, type ObjectRef, type ResourceType } from '../kubernetes.ts';
import type { ObservedChild } from './observed.ts';

/** What a plan knows beside its resource: everything observed, and names that were read and found absent. */
export interface World {
  readonly children: ReadonlyMap<string, ObservedChild>;
  readonly absent: ReadonlySet<string>;
  /** Names that could not be read, and why. */
  readonly unread?: ReadonlyMap<string, Unread>;
  /** Ingresses that others change without pause. */
  readonly unsteady?: ReadonlyMap<string, Unsteady>;
}

export interface Unread {
  readonly reason: string;
  readonly message: string;
  readonly transient: boolean;
}

/** Why an Ingress was given up in this run, and every path it was seen with. */
export interface Unsteady {
  readonly reason: string;
  readonly message: string;
  readonly paths: ReadonlySet<string>;
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

/** Observed, or read by name: absent, or not readable. */
export const isKnown = ({ children, absent, unread }: World, ref: ObjectRef): boolean =>
  [children, absent, unread].some((known) => known?.has(keyOf(ref)) === true);
