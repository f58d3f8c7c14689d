import type { Kind } from '../kinds/define-kind.ts';
import { apiVersionOf, type KubeObject, type ObjectRef, type ResourceType } from '../kubernetes.ts';
import type { ObservedChild, ObservedResource } from './observed.ts';

/** All that a plan is made from: one resource, everything observed of its children, and what became of earlier tries. */
export interface World {
  readonly kind: Kind;
  readonly resource: ObservedResource;
  readonly children: ReadonlyMap<string, ObservedChild>;
  /** Names that were read and found absent. */
  readonly absent: ReadonlySet<string>;
  /** Names that could not be read, and why. */
  readonly unread?: ReadonlyMap<string, Failure>;
  /** Children that are left to the next run, and why. */
  readonly givenUp?: ReadonlyMap<string, Failure>;
  /** Of the exposing ones among these, every path with which they were seen. */
  readonly possiblePaths?: ReadonlyMap<string, ReadonlySet<string>>;
  /** Updates that the server refused as invalid. */
  readonly refused?: ReadonlyMap<string, Refusal>;
}

/** Why a request failed, as text for a condition. */
export interface Failure {
  readonly reason: string;
  readonly message: string;
  readonly transient: boolean;
}

export interface Refusal {
  readonly failure: Failure;
  /** The object as read after the refusal. */
  readonly live: KubeObject;
}

/** A name and where to read it. */
export interface ReadTarget extends ObjectRef {
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
export const isKnown = (
  { children, absent, unread }: Pick<World, 'children' | 'absent' | 'unread'>,
  ref: ObjectRef,
): boolean => [children, absent, unread].some((known) => known?.has(keyOf(ref)) === true);
