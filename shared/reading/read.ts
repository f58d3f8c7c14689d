import type { Cluster, Key } from '../cluster/cluster.ts';
import { present } from '../json.ts';
import type { Kind } from '../kinds/kind.ts';
import {
  groupResource,
  type KubeObject,
  keyOf,
  type ObjectVersion,
  qualifiedName,
  type ResourceType,
} from '../kubernetes.ts';
import { controllerOf, type ObservedChild, observeChild } from '../plan/observed/observed.ts';
import {
  type ObservedResource,
  observeResource,
  type Specification,
} from '../plan/observed/observed-resource.ts';
import { openPools, type Pool } from '../plan/observed/unreadable.ts';
import { namespaceOf, type ReadTarget, type Subject, type World } from '../plan/observed/world.ts';
import { keepChild } from '../run/memory-budget.ts';
import type { LiveWorld, Run } from '../run/run.ts';

export const worldOf = (
  { identity, kind, resource, ...more }: Subject & Pick<World, 'compares' | 'now' | 'unlisted'>,
  children: Map<string, ObservedChild>,
): LiveWorld => ({
  identity,
  kind,
  resource,
  children,
  ...present({ compares: more.compares, now: more.now, unlisted: more.unlisted }),
  applied: new Map(),
  asked: new Map(),
  reads: new Map(),
  absent: new Set(),
  unread: new Map(),
  givenUp: new Map(),
  possiblePaths: new Map(),
});

/** Identifies a resource, such as `websites.kubecon.my.domain default/shop`. */
export const keyOfResource = ({
  kind,
  resource,
}: {
  readonly kind: Kind;
  readonly resource: Pick<ObservedResource, 'namespace' | 'name'>;
}): string => `${groupResource(kind)} ${qualifiedName(resource.namespace, resource.name)}`;

/**
 * Reads one object by name into the world, whoever owns it. Returns the complete object; undefined if it does
 * not exist.
 *
 * Guarantees: the resource's references are read again before the next plan, because they must not be older
 * than the child.
 */
export async function readChild(
  { cluster, limits }: Run,
  world: LiveWorld,
  ref: ReadTarget,
  pool?: Pool,
): Promise<KubeObject | undefined> {
  const { namespace: from } = world.resource;
  const namespace = namespaceOf(world.resource, ref);
  const live = await cluster.get(ref.type, { namespace, name: ref.name });
  const key = keyOf(ref);
  world.children.delete(key);
  world.absent.delete(key);
  world.unread.delete(key);
  if (live === undefined) world.absent.add(key);
  else {
    const child = observeChild(ref.type, live, { identity: world.identity, pool, from });
    const inherited = isControlledBy(world, live) ? { inherited: true as const } : {};
    world.children.set(key, keepChild(limits.memory, namespace, { ...child, ...inherited }));
    world.reads.clear();
  }
  return live;
}

/** Reports whether the child's controller has the kind and name of the resource; its uid may differ. */
function isControlledBy({ kind, resource }: World, live: KubeObject): boolean {
  const owner = controllerOf(live);
  return (
    owner !== undefined &&
    owner.kind === kind.kind &&
    owner.apiVersion?.split('/')[0] === kind.group &&
    owner.name === resource.name
  );
}

/** Opens a pool for each namespace. It limits reading one resource's children there to about 40 ms of CPU time. */
export const poolsOfResource = () => openPools(4_000_000);

/** Reads the resource again; undefined if it does not exist any more. */
export async function readResource(
  run: Run,
  { kind, resource }: World,
): Promise<ObservedResource | undefined> {
  const live = await run.cluster.get(kind, { namespace: resource.namespace, name: resource.name });
  return live && observeResource(kind, live, run.clients);
}

/** Reads an object; undefined if it is gone or has another version. */
export async function getVersion(
  cluster: Cluster,
  { type, ...key }: Key & { readonly type: ResourceType },
  { uid, resourceVersion }: ObjectVersion,
): Promise<KubeObject | undefined> {
  const live = await cluster.get(type, key);
  const isSame = live?.metadata.uid === uid && live.metadata.resourceVersion === resourceVersion;
  return isSame ? live : undefined;
}

/** Reports whether two versions of a resource have the same spec. Labels and status may differ. */
export const isSameSpecification = (a: Specification, b: Specification): boolean =>
  a.uid === b.uid &&
  a.generation === b.generation &&
  a.deleting === b.deleting &&
  a.suspended === b.suspended &&
  a.observed === b.observed;
