import type { ChildType } from '../kinds/child-type.ts';
import type { Kind } from '../kinds/define-kind.ts';
import type { Reference } from '../kinds/reads.ts';
import {
  apiVersionOf,
  groupResource,
  type KubeObject,
  type ObjectRef,
  type ResourceType,
} from '../kubernetes.ts';
import type { ObservedChild, ObservedResource } from './observed.ts';
import type { HandedOver } from './read-object.ts';

/**
 * Everything that a plan is made from: one resource, its children as observed, and the server's answers
 * to earlier attempts.
 */
export interface World {
  readonly kind: Kind;
  readonly resource: ObservedResource;
  readonly children: ReadonlyMap<string, ObservedChild>;
  /** Objects that were read by name and do not exist. */
  readonly absent: ReadonlySet<string>;
  /** What was read of the objects that the resource refers to, by `keyOfReference`; none is older than a child. */
  readonly reads?: ReadonlyMap<string, Found>;
  /** Objects that could not be read by name, and why. */
  readonly unread?: ReadonlyMap<string, Failure>;
  /** Children that are given up until the next run, and why. */
  readonly givenUp?: ReadonlyMap<string, Failure>;
  /** For exposing children that are given up: every path they were observed with, any of which may be live. */
  readonly possiblePaths?: ReadonlyMap<string, ReadonlySet<string>>;
  /** Updates that the server refused as invalid. */
  readonly refused?: ReadonlyMap<string, Refusal>;
}

/** Why a request failed, for a condition. */
export interface Failure {
  readonly reason: string;
  readonly message: string;
  readonly transient: boolean;
}

/** The answer about an object that a resource refers to; without `object` there is none. */
export type Found =
  | { readonly object?: HandedOver; readonly resourceVersion?: string }
  | { readonly failure: Failure };

export interface Refusal {
  readonly failure: Failure;
  /** The object as read after the refusal. */
  readonly live: KubeObject;
}

/** An object to be read by name. */
export interface ReadTarget extends ObjectRef {
  readonly type: ChildType;
}

export const keyOfReference = ({ type, namespace, name }: Reference): string =>
  `${groupResource(type)} ${namespace}/${name}`;

export const keyOf = ({ apiVersion, kind, name }: ObjectRef): string =>
  `${apiVersion}/${kind}/${name}`;

export const refTo = (type: ResourceType, name: string): ObjectRef => ({
  apiVersion: apiVersionOf(type),
  kind: type.kind,
  name,
});

/** Whether an object was observed, or a read by name showed it absent or failed. */
export const isKnown = (
  { children, absent, unread }: Pick<World, 'children' | 'absent' | 'unread'>,
  ref: ObjectRef,
): boolean => [children, absent, unread].some((known) => known?.has(keyOf(ref)) === true);
