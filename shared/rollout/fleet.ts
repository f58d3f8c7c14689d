import { present } from '../json.ts';
import type { Kind } from '../kinds/kind.ts';
import { isReady, readyOf } from '../plan/observed/conditions.ts';
import type { ObservedResource } from '../plan/observed/observed-resource.ts';

/** A resource in a rollout. Omits fields that may be large, because a rollout may have many members. */
export interface Member extends Omit<ObservedResource, 'labels' | 'spec' | 'status' | 'applied'> {
  readonly ready: boolean;
  /** The Ready condition, if it is False, such as `Progressing: 1 of 2 replicas are available`. */
  readonly problem?: string;
}

/** The resources of a kind, reduced to the inputs of its rollout. */
export interface Fleet {
  readonly kind: Kind;
  resources: number;
  /** The namespaces that have resources; '' for cluster-scoped resources. */
  readonly namespaces: Set<string>;
  readonly members: Map<string, Member>;
  /** The times at which resources finished and thereby proved the new version (`addDone`). */
  readonly done: string[];
}

/** Returns the parts as one fleet; without parts, an empty fleet. */
export const newFleet = (kind: Kind, parts: readonly Fleet[] = []): Fleet => ({
  kind,
  resources: parts.reduce((sum, { resources }) => sum + resources, 0),
  namespaces: new Set(parts.flatMap(({ namespaces }) => [...namespaces])),
  members: new Map(parts.flatMap(({ members }) => [...members])),
  done: parts.flatMap(({ done }) => done),
});

export function addMember(fleet: Fleet, resource: ObservedResource): void {
  const { rollout, uid, namespace } = resource;
  fleet.resources++;
  fleet.namespaces.add(namespace);
  if (rollout !== undefined && rollout.reason !== 'RolledOut')
    fleet.members.set(uid, memberOf(resource));
}

/** Counts a resource marked `RolledOut` as done. Callers other than `addMarked` check that the resource is Ready. */
export function addDone(fleet: Fleet, { rollout }: Pick<ObservedResource, 'rollout'>): void {
  if (rollout?.reason === 'RolledOut') fleet.done.push(rollout.statusSince);
}

/** Trusts the mark alone, because the resource's children were not listed. */
export function addMarked(fleet: Fleet, resource: ObservedResource): void {
  addMember(fleet, resource);
  addDone(fleet, resource);
}

export function addWaiting(
  fleets: readonly Fleet[],
  { kind, resource }: { readonly kind: Kind; readonly resource: ObservedResource },
): void {
  const fleet = fleets.find((one) => one.kind === kind);
  fleet?.members.set(resource.uid, memberOf(resource));
}

export function memberOf(resource: ObservedResource): Member {
  const { labels: _, spec: __, status: ___, applied: ____, ...member } = resource;
  const ready = readyOf(resource);
  const problem = ready?.status === 'False' ? `${ready.reason}: ${ready.message}` : undefined;
  return { ...member, ready: isReady(resource), ...present({ problem }) };
}
