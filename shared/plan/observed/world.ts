import type { Identity } from '../../identity.ts';
import { present } from '../../json.ts';
import type { ChildName } from '../../kinds/child.ts';
import type { ChildType } from '../../kinds/child-type.ts';
import type { Kind } from '../../kinds/kind.ts';
import { digestOf } from '../../kinds/names.ts';
import type { Reference } from '../../kinds/reads.ts';
import { granteeOf } from '../../kinds/references/grants.ts';
import {
  apiVersionOf,
  groupResource,
  type JsonObject,
  keyOf,
  type ObjectRef,
  qualifiedName,
  type ResourceType,
  type TypeName,
} from '../../kubernetes.ts';
import type { Applied } from './applied.ts';
import type { ObservedChild, ObservedResource } from './observed.ts';
import type { ReducedObject, SecretData } from './read-object.ts';

/** The input of a plan: one resource, its observed children, and the server's answers to earlier attempts. */
export interface World {
  readonly identity: Identity;
  readonly kind: Kind;
  readonly resource: ObservedResource;
  readonly children: ReadonlyMap<string, ObservedChild>;
  /** Records of this run's applies, by child, newer than those in the status. */
  readonly applied?: ReadonlyMap<string, Applied>;
  /** The server's answers to dry runs, by child. */
  readonly asked?: ReadonlyMap<string, Asked>;
  /** The time of the run, in milliseconds since the epoch: it ends clean-ups and renews certificates. */
  readonly now?: number;
  /** True if every child is compared with a dry run of its apply, whatever the records say. */
  readonly compares?: boolean;
  /** True if every update is dry-run first, so that a plan shows what it changes. */
  readonly foresees?: boolean;
  /** True if the wanted children that lost their owner are adopted, whatever the kind says. */
  readonly adopts?: boolean;
  /** Objects that were read by name and do not exist. */
  readonly absent: ReadonlySet<string>;
  /** Referenced objects, by `keyOfReference`; none was read before a child. */
  readonly reads?: ReadonlyMap<string, Found>;
  /** Types of children that could not be listed (`deployments.apps`), and why: nothing is known about these. */
  readonly unlisted?: ReadonlyMap<string, FailedRequest>;
  /** Objects that could not be read by name, and why. */
  readonly unread?: ReadonlyMap<string, FailedRequest>;
  /** Children that are given up until the next run, and why. */
  readonly givenUp?: ReadonlyMap<string, FailedRequest>;
  /** For exposing children that are given up: every path they were observed with, any of which may be live. */
  readonly possiblePaths?: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The answer to the dry run of an apply. */
export interface Asked {
  /** `uid/resourceVersion` of the child. */
  readonly version: string;
  /** Digest of the applied fields; undefined if the kind returns others at each call. */
  readonly wanted: string | undefined;
  /** The child as the apply, or its recreation, would leave it; undefined without an answer. */
  readonly after: ObservedChild | undefined;
  /** JSON patch that removes fields of other managers. Without this patch the server refuses the apply. */
  readonly untangles?: readonly JsonObject[];
  /** Why the server refuses the apply even with such a patch. */
  readonly refusal?: FailedRequest;
}

/** A resource and its reconciler. */
export type Subject = Pick<World, 'identity' | 'kind' | 'resource'>;

/** Why a request failed, for a condition. */
export interface FailedRequest {
  readonly reason: string;
  readonly message: string;
  readonly transient: boolean;
}

/** The reason for a type that the cluster does not serve, and which therefore has no objects. */
export const typeNotServed = 'TypeNotServed';

/** Why the children of a type are unknown; undefined if they were listed. */
export const unlistedIn = (
  { unlisted }: Pick<World, 'unlisted'>,
  type: TypeName,
): FailedRequest | undefined => unlisted?.get(groupResource(type));

/** Reports whether children may exist of which nothing is known. */
export const hasUnlisted = ({ unlisted }: Pick<World, 'unlisted'>): boolean =>
  [...(unlisted?.values() ?? [])].some(({ reason }) => reason !== typeNotServed);

/** The result of reading a referenced object, which does not exist if `object` is missing. */
export type Found =
  | {
      readonly object?: ReducedObject;
      readonly namespace?: string;
      readonly resourceVersion?: string;
      /** For a Secret whose values may be copied. */
      readonly values?: SecretData;
      /** For a selector, what was found. */
      readonly selected?: readonly Selected[];
    }
  | { readonly failure: FailedRequest };

/** An object that was found by its labels. */
export interface Selected {
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly values?: SecretData;
}

export interface SelectedObject extends Selected {
  readonly object: ReducedObject;
}

/** Combines what a selector has found into one answer, sorted by namespace, then by name. */
export function answerOf(
  { namespace }: Pick<Reference, 'namespace'>,
  objects: readonly SelectedObject[],
): Found {
  const placeOf = (one: Selected): string => `${one.namespace} ${one.name}`;
  const sorted = objects.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  const items = sorted.map((one) => ({ ...one.object, namespace: one.namespace }));
  const digest = digestOf(sorted.map((one) => [placeOf(one), one.object.digest]));
  return {
    object: { name: '', digest, items },
    resourceVersion: digestOf(sorted.map((one) => [placeOf(one), one.resourceVersion])),
    namespace,
    selected: sorted.map(({ object: _, ...one }) => one),
  };
}

/** An object to be read by name. */
export interface ReadTarget extends ObjectRef {
  readonly type: ChildType;
}

export const keyOfReference = ({
  type,
  namespace,
  name,
  reader,
}: Omit<Reference, 'type'> & { readonly type: TypeName }): string =>
  `${groupResource(type)} ${qualifiedName(namespace, name)}${reader === undefined ? '' : ` for ${granteeOf(reader)}`}`;

export const refTo = (type: ResourceType, name: string, namespace?: string): ObjectRef => ({
  apiVersion: apiVersionOf(type),
  kind: type.kind,
  name,
  ...present({ namespace }),
});

/** The reference to a child as its kind names it. */
export const refOf = ({ type, name, namespace }: ChildName): ObjectRef =>
  refTo(type, name, namespace);

/** Reduces an object to its reference. */
export const bareRef = ({ apiVersion, kind, name, namespace }: ObjectRef): ObjectRef => ({
  apiVersion,
  kind,
  name,
  ...present({ namespace }),
});

/** The namespace of an object of the resource; empty for a cluster-scoped one. */
export const namespaceOf = (
  resource: Pick<ObservedResource, 'namespace'>,
  { namespace = resource.namespace }: Pick<ObjectRef, 'namespace'>,
): string => namespace;

/** Reports whether an object was observed, or was read by name and is absent or failed. */
export const isKnown = (
  { children, absent, unread }: Pick<World, 'children' | 'absent' | 'unread'>,
  ref: ObjectRef,
): boolean => [children, absent, unread].some((known) => known?.has(keyOf(ref)) === true);
