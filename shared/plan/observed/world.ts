import { canonicalJson } from '../../canonical.ts';
import type { Identity } from '../../identity.ts';
import { present } from '../../json.ts';
import type { ChildName } from '../../kinds/child.ts';
import type { ChildType } from '../../kinds/child-type.ts';
import type { Kind } from '../../kinds/kind.ts';
import { digestOf, label, labelValue } from '../../kinds/names.ts';
import type { Reference, Resource } from '../../kinds/reads.ts';
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
import type { Labels } from '../../label-selector.ts';
import { type Applied, recordIn } from './applied.ts';
import type { ObservedChild } from './observed.ts';
import type { ObservedResource } from './observed-resource.ts';
import type { ReducedObject, SecretData } from './read-object.ts';

/** The input of a plan. */
export interface World {
  readonly identity: Identity;
  readonly kind: Kind;
  readonly resource: ObservedResource;
  readonly children: ReadonlyMap<string, ObservedChild>;
  /** This run's applies, by child. They replace the records in the status. */
  readonly applied: ReadonlyMap<string, Applied>;
  readonly asked: ReadonlyMap<string, Asked>;
  /** In ms since the epoch; for timeouts and certificate renewals. */
  readonly now?: number;
  /** Reports whether the desired child changes because a time has been reached. Set by `plan`. */
  readonly dueToTime?: ((child: ObjectRef) => boolean) | undefined;
  /** True for the daily comparison: dry-runs even children whose records show no drift. */
  readonly comparesDaily?: boolean;
  /** For a preview: dry-runs even updates that wait in a rollout, to show what they change. */
  readonly foresees?: boolean;
  /** For `reconciler adopt`: adopts all desired children that are adoptable (`isAdoptable`). */
  readonly adopts?: boolean;
  /** Keys of objects that a read by name did not find, or that this run deleted. */
  readonly absent: ReadonlySet<string>;
  /** Referenced objects by `keyOfReference`, all read after the children were listed. */
  readonly reads: ReadonlyMap<string, Found>;
  /** Failed lists, by the type's name, such as `deployments.apps`. */
  readonly unlisted: ReadonlyMap<string, FailedRequest>;
  /** Failed reads of single objects, by `keyOf`. */
  readonly unread: ReadonlyMap<string, FailedRequest>;
  /** Children left for later, by `keyOf`: after many conflicts, or because a write was refused for good. */
  readonly givenUp: ReadonlyMap<string, FailedRequest>;
  /** For `givenUp` children that expose paths: all paths that this run has seen on them. Any may be live. */
  readonly possiblePaths: ReadonlyMap<string, ReadonlySet<string>>;
}

export type Recorded = Pick<World, 'applied' | 'resource'>;

/** Returns the latest record for this name, perhaps of a former object. */
export const latestRecord = ({ applied, resource }: Recorded, ref: ObjectRef) =>
  applied.get(keyOf(ref)) ?? recordIn(resource.applied[keyOf(ref)]);

export interface Asked {
  /** `uid/resourceVersion` of the compared child. */
  readonly version: string;
  /** Digest of the applied fields; undefined if the kind returns different fields each time it is called. */
  readonly desired: string | undefined;
  /** The child as an apply or a recreation would leave it; undefined if unknown. */
  readonly after: ObservedChild | undefined;
  /** JSON patch that removes incompatible fields of other managers, or leftovers of earlier applies. */
  readonly untangles?: readonly JsonObject[];
  /** The failure if no patch helps: the apply is refused, or leftovers of earlier applies remain. */
  readonly refusal?: FailedRequest;
  /** Why `after` is unknown. */
  readonly doubt?: string;
}

export type Subject = Pick<World, 'identity' | 'kind' | 'resource'>;

export interface Why {
  readonly reason: string;
  readonly message: string;
  /**
   * Set if the child waits for another child; `disturbed` if other writers deleted or changed the waiting child.
   * Conditions, Stalled included, name every disturbed child, but at most three undisturbed children.
   */
  readonly waits?: 'undisturbed' | 'disturbed';
}

export interface FailedRequest extends Why {
  readonly transient: boolean;
}

/** The cluster does not serve this version of the type. */
export const typeNotServed = 'TypeNotServed';

export const unlistedIn = (
  { unlisted }: Pick<World, 'unlisted'>,
  type: TypeName,
): FailedRequest | undefined => unlisted.get(groupResource(type));

/** Reports whether unlisted children may exist. */
export const hasUnlisted = ({ unlisted }: Pick<World, 'unlisted'>): boolean =>
  [...unlisted.values()].some(({ reason }) => reason !== typeNotServed);

/** `object` is undefined if the read failed or the object does not exist. */
export interface Found {
  readonly object?: ReducedObject;
  readonly namespace?: string;
  readonly resourceVersion?: string;
  /** Set for a Secret that the kind may use in templates. */
  readonly values?: SecretData;
  readonly selected?: readonly Selected[];
  readonly failure?: FailedRequest;
}

export interface Selected {
  readonly namespace: string;
  readonly name: string;
  readonly resourceVersion: string;
  readonly values?: SecretData;
}

export interface SelectedRead extends Selected {
  readonly object: ReducedObject;
}

export const contentOf = ({ digest, labels }: ReducedObject): string =>
  labels === undefined ? digest : `${digest} ${canonicalJson(labels)}`;

export function foundBySelector(
  { namespace }: Pick<Reference, 'namespace'>,
  objects: readonly SelectedRead[],
): Found {
  const placeOf = (one: Selected): string => `${one.namespace} ${one.name}`;
  const sorted = objects.toSorted((a, b) => (placeOf(a) < placeOf(b) ? -1 : 1));
  const items = sorted.map((one) => ({ ...one.object, namespace: one.namespace }));
  const digest = digestOf(sorted.map((one) => [placeOf(one), contentOf(one.object)]));
  return {
    object: { name: '', digest, items },
    resourceVersion: digestOf(sorted.map((one) => [placeOf(one), one.resourceVersion])),
    namespace,
    selected: sorted.map(({ object: _, ...one }) => one),
  };
}

export interface ReadTarget extends ObjectRef {
  readonly type: ChildType;
}

export function keyOfReference(to: Omit<Reference, 'type'> & { readonly type: TypeName }): string {
  const grant = to.reader === undefined ? '' : ` for ${granteeOf(to.reader)}`;
  const except = to.owner === undefined ? '' : ` not of ${to.owner}`;
  return `${groupResource(to.type)} ${qualifiedName(to.namespace, to.name)}${grant}${except}`;
}

export const refTo = (type: ResourceType, name: string, namespace?: string): ObjectRef => ({
  apiVersion: apiVersionOf(type),
  kind: type.kind,
  name,
  ...present({ namespace }),
});

export const refOf = ({ type, name, namespace }: ChildName): ObjectRef =>
  refTo(type, name, namespace);

export const readTarget = (child: ChildName): ReadTarget => ({ ...refOf(child), type: child.type });

/** Returns an empty string for a cluster-scoped child. */
export const namespaceOf = (
  resource: Pick<ObservedResource, 'namespace'>,
  { namespace = resource.namespace }: Pick<ObjectRef, 'namespace'>,
): string => namespace;

/** Reports whether an object was observed or at least looked for by name. */
export const isKnown = (
  { children, absent, unread }: Pick<World, 'children' | 'absent' | 'unread'>,
  ref: ObjectRef,
): boolean => [children, absent, unread].some((all) => all.has(keyOf(ref)));

export interface Family {
  readonly identity: Identity;
  readonly kind: Kind;
  readonly resource: Pick<Resource<unknown>, 'name'>;
}

export interface NamedResource {
  readonly kind: Kind;
  readonly resource: Pick<ObservedResource, 'namespace' | 'name'>;
}

export const childLabels = ({ identity, kind, resource }: Family): Labels => ({
  [label.managedBy]: identity.name,
  [label.partOf]: kind.kind.toLowerCase(),
  [label.instance]: labelValue(resource.name),
});

type Owner = Pick<ObservedResource, 'uid' | 'namespace'>;
type Owned = Pick<ObservedChild, 'controller' | 'namespace'>;

/** Reports whether this resource is the child's controller, by uid, and its namespace allows it to own the child. */
export const isOwn = (resource: Owner, child: Owned): boolean =>
  child.controller === resource.uid && isWithinReach(resource, child);

/** Reports whether a child exists, is ours, and is not being deleted. */
export const isLasting = (
  resource: Owner,
  child: ObservedChild | undefined,
): child is ObservedChild => child !== undefined && isOwn(resource, child) && !child.deleting;

const isWithinReach = ({ namespace }: Omit<Owner, 'uid'>, child: Omit<Owned, 'controller'>) =>
  namespace === '' || child.namespace === undefined;

/**
 * Reports whether the command `adopt` takes over the child.
 *
 * Caveats: read the resource after the child. Otherwise the controller may be a newer resource of this name.
 */
export const isAdoptable = (subject: Subject, child: ObservedChild): boolean =>
  !child.deleting &&
  isOrphan(subject, child.inherited ? { ...child, controller: undefined } : child);

/** Reports whether a child has our labels but no controller, as after a restore by hand. */
export const isOrphan = (subject: Subject, child: ObservedChild): boolean =>
  child.controller === undefined &&
  isWithinReach(subject.resource, child) &&
  Object.entries(childLabels(subject)).every(([label, value]) => child.labelled[label] === value);
