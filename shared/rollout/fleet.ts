import type { Kind } from '../kinds/kind.ts';
import { isReady, readyOf } from '../plan/observed/conditions.ts';
import type { ObservedResource } from '../plan/observed/observed.ts';
import type { Mark } from '../plan/observed/rollout-mark.ts';

/** A resource that takes part in the rollout of its kind. */
export interface Member {
  readonly resource: Pick<
    ObservedResource,
    'uid' | 'namespace' | 'name' | 'resourceVersion' | 'generation'
  >;
  /** For a chosen resource: the object as read, so that the run can continue with it. */
  readonly chosen?: ObservedResource;
  /** Undefined if the resource has just been found to wait. */
  readonly mark: Mark | undefined;
  readonly ready: boolean;
  /** The Ready condition, if it is False: `Progressing: 1 of 2 replicas are available`. */
  readonly problem?: string;
  /** True if the resource is suspended or being deleted. */
  readonly idle: boolean;
  /** True if the annotation `rollout-first` puts it at the head of the rollout. */
  readonly first: boolean;
}

/** The resources of a kind, reduced to what its rollout depends on. */
export interface Fleet {
  readonly kind: Kind;
  resources: number;
  /** The namespaces with resources; '' for cluster-scoped ones. */
  readonly namespaces: Set<string>;
  /** Members by uid. */
  readonly members: Map<string, Member>;
  /** When each resource that proves the version finished: see `addDone`. */
  readonly done: string[];
}

export const newFleet = (kind: Kind): Fleet => ({
  kind,
  resources: 0,
  namespaces: new Set(),
  members: new Map(),
  done: [],
});

/** Counts a resource. Keeps it as a member if its mark says that it takes part. */
export function addMember(fleet: Fleet, resource: ObservedResource): void {
  const { rollout, uid, namespace } = resource;
  fleet.resources++;
  fleet.namespaces.add(namespace);
  if (rollout !== undefined && rollout.reason !== 'RolledOut')
    fleet.members.set(uid, memberOf(resource));
}

/** Counts a finished resource. A run that knows its children calls this only if they are as wanted now, and Ready. */
export function addDone(fleet: Fleet, { rollout }: Pick<ObservedResource, 'rollout'>): void {
  if (rollout?.reason === 'RolledOut') fleet.done.push(rollout.waitingSince);
}

/** Counts a resource of which only the mark is known. */
export function addMarked(fleet: Fleet, resource: ObservedResource): void {
  addMember(fleet, resource);
  addDone(fleet, resource);
}

/** Returns the member for a resource, without the spec, because a rollout may have many members. */
export function memberOf(resource: ObservedResource): Member {
  const { uid, namespace, name, resourceVersion, generation, rollout } = resource;
  const ready = readyOf(resource);
  return {
    resource: { uid, namespace, name, resourceVersion, generation },
    ...(rollout?.reason === 'Starting' ? { chosen: resource } : {}),
    mark: rollout,
    ready: isReady(resource),
    ...(ready?.status === 'False' ? { problem: `${ready.reason}: ${ready.message}` } : {}),
    idle: resource.suspended || resource.deleting,
    first: resource.first === true,
  };
}

/** Merges the parts in which a kind was listed. */
export const mergeFleets = (kind: Kind, parts: readonly Fleet[]): Fleet => ({
  kind,
  resources: parts.reduce((sum, { resources }) => sum + resources, 0),
  namespaces: new Set(parts.flatMap(({ namespaces }) => [...namespaces])),
  members: new Map(parts.flatMap(({ members }) => [...members])),
  done: parts.flatMap(({ done }) => done),
});
