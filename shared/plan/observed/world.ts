import type { Identity } from '../../identity.ts';
import { present } from '../../json.ts';
import type { ChildName } from '../../kinds/child.ts';
import type { ChildType } from '../../kinds/child-type.ts';
import type { Kind } from '../../kinds/kind.ts';
import type { Reference } from '../../kinds/reads.ts';
import {
  apiVersionOf,
  groupResource,
  type Json,
  type JsonObject,
  keyOf,
  type ObjectRef,
  qualifiedName,
  type ResourceType,
  type TypeName,
} from '../../kubernetes.ts';
import type { Applied } from './applied.ts';
import type { ObservedChild, ObservedResource } from './observed.ts';
import type { ReducedObject } from './read-object.ts';

/**
 * Everything that a plan is made from: one resource, its children as observed, and the server's answers
 * to earlier attempts.
 */
export interface World {
  /** As whom it is planned. */
  readonly identity: Identity;
  readonly kind: Kind;
  readonly resource: ObservedResource;
  readonly children: ReadonlyMap<string, ObservedChild>;
  /** What this run applied, by child: newer than what the status says. */
  readonly applied?: ReadonlyMap<string, Applied>;
  /** What an apply would change, by child, as far as it was asked. */
  readonly asked?: ReadonlyMap<string, Asked>;
  /** Every child is compared with what an apply would make of it, whatever the records say. */
  readonly compares?: boolean;
  /** Updates are asked about if others hold fields of the child, so that a plan shows what will be sent. */
  readonly foresees?: boolean;
  /** Objects that were read by name and do not exist. */
  readonly absent: ReadonlySet<string>;
  /** What was read of the objects that the resource refers to, by `keyOfReference`; none is older than a child. */
  readonly reads?: ReadonlyMap<string, Found>;
  /** Objects that could not be read by name, and why. */
  readonly unread?: ReadonlyMap<string, FailedRequest>;
  /** Children that are given up until the next run, and why. */
  readonly givenUp?: ReadonlyMap<string, FailedRequest>;
  /** For exposing children that are given up: every path they were observed with, any of which may be live. */
  readonly possiblePaths?: ReadonlyMap<string, ReadonlySet<string>>;
}

/** A field that an apply changes. */
export interface Change {
  readonly path: string;
  readonly from: Json | undefined;
  readonly to: Json | undefined;
  /** Who set it; undefined where managedFields do not show that. */
  readonly writer: { readonly manager: string; readonly time: string | undefined } | undefined;
}

/** The answer to the dry run of an apply. */
export interface Asked {
  /** `uid/resourceVersion` of the child that it was about. */
  readonly version: string;
  /** Digest of the fields that it was about. */
  readonly wanted: string;
  /** Undefined if the server did not answer: the apply itself will show it. */
  readonly changes: readonly Change[] | undefined;
  /** The JSON patch without which the server refuses the apply: it takes out what others hold. */
  readonly untangles?: readonly JsonObject[];
  /** Why the server refuses the apply, whatever is taken out. */
  readonly refusal?: FailedRequest;
}

/** A resource, and who reconciles it. */
export type Subject = Pick<World, 'identity' | 'kind' | 'resource'>;

/** Why a request failed, for a condition. */
export interface FailedRequest {
  readonly reason: string;
  readonly message: string;
  readonly transient: boolean;
}

/** The answer about an object that a resource refers to; without `object` there is none. */
export type Found =
  | {
      readonly object?: ReducedObject;
      readonly namespace?: string;
      readonly resourceVersion?: string;
    }
  | { readonly failure: FailedRequest };

/** An object to be read by name. */
export interface ReadTarget extends ObjectRef {
  readonly type: ChildType;
}

export const keyOfReference = ({
  type,
  namespace,
  name,
}: Omit<Reference, 'type'> & { readonly type: TypeName }): string =>
  `${groupResource(type)} ${qualifiedName(namespace, name)}`;

export const refTo = (type: ResourceType, name: string, namespace?: string): ObjectRef => ({
  apiVersion: apiVersionOf(type),
  kind: type.kind,
  name,
  ...present({ namespace }),
});

/** The reference to a child as its kind names it. */
export const refOf = ({ type, name, namespace }: ChildName): ObjectRef =>
  refTo(type, name, namespace);

/** The reference in an object that is more than one. */
export const bareRef = ({ apiVersion, kind, name, namespace }: ObjectRef): ObjectRef => ({
  apiVersion,
  kind,
  name,
  ...present({ namespace }),
});

/** The namespace that an object of a resource is in; empty for a cluster-scoped one. */
export const namespaceOf = (
  resource: Pick<ObservedResource, 'namespace'>,
  { namespace = resource.namespace }: Pick<ObjectRef, 'namespace'>,
): string => namespace;

/** Whether an object was observed, or a read by name showed it absent or failed. */
export const isKnown = (
  { children, absent, unread }: Pick<World, 'children' | 'absent' | 'unread'>,
  ref: ObjectRef,
): boolean => [children, absent, unread].some((known) => known?.has(keyOf(ref)) === true);
