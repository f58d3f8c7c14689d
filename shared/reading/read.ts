import type { Cluster, Key } from '../cluster/cluster.ts';
import { present } from '../json.ts';
import type { ChildType } from '../kinds/child-type.ts';
import { childTypesOf, type Kind } from '../kinds/kind.ts';
import { label, labelValue } from '../kinds/names.ts';
import {
  groupResource,
  type KubeObject,
  keyOf,
  type ObjectVersion,
  qualifiedName,
  type ResourceType,
} from '../kubernetes.ts';
import {
  controllerOf,
  controllerUid,
  type ObservedChild,
  observeChild,
} from '../plan/observed/observed.ts';
import {
  type ObservedResource,
  observeResource,
  type Specification,
} from '../plan/observed/observed-resource.ts';
import { openPools, type Pool } from '../plan/observed/unreadable.ts';
import {
  type NamedResource,
  namespaceOf,
  type ReadTarget,
  type Subject,
  type World,
} from '../plan/observed/world.ts';
import type { Area } from '../run/area.ts';
import { keepChild } from '../run/memory-budget.ts';
import type { LiveWorld, Run } from '../run/run.ts';

/** Limits the CPU time in one namespace to about 0.2 s, plus 0.2 ms for each object. */
export const poolsOfNamespaces = () => openPools(20_000_000);

/** Limits the CPU time of one resource in a namespace to about 40 ms, plus 0.2 ms for each object. */
export const poolsOfResource = () => openPools(4_000_000);

export interface ListedChildren {
  /** Returns the children in the owner's namespace, if it has one. Omits types whose lists failed. */
  readonly childrenOf: (owner: Owner) => readonly ObservedChild[];
  /** By `groupResource`. */
  readonly failed: ReadonlyMap<string, unknown>;
}

type Owner = Pick<ObservedResource, 'namespace' | 'uid'>;

export async function listChildren(run: Run, area: Area): Promise<ListedChildren> {
  // Keeps each child's namespace, because an owner reference may wrongly name a resource in another namespace.
  const byOwner = new Map<string, { namespace: string; child: ObservedChild }[]>();
  const poolOf = poolsOfNamespaces();
  const failed = new Map<string, unknown>();
  const labels = selectorOf(run, area);
  const listType = async (type: ChildType): Promise<void> => {
    const keep = (live: KubeObject): void => {
      const uid = controllerUid(live) ?? '';
      if (uid === '' || area.uids?.has(uid) === false) return;
      const { namespace = '' } = live.metadata;
      const how = { identity: run.clients.identity, pool: poolOf(namespace) };
      const child = keepChild(run.limits.memory, namespace, observeChild(type, live, how));
      const siblings = byOwner.get(uid) ?? [];
      byOwner.set(uid, siblings);
      siblings.push({ namespace, child });
    };
    try {
      await listIn(area, (namespace) => run.cluster.list(type, { labels, namespace }, keep));
    } catch (error) {
      failed.set(groupResource(type), error);
    }
  };
  await Promise.all(childTypesOf(area.kinds).map(listType));
  return {
    failed,
    childrenOf: ({ uid, namespace: own }) =>
      (byOwner.get(uid) ?? [])
        .filter(({ namespace }) => own === '' || namespace === own)
        .filter(({ child }) => !failed.has(groupResource(child.type)))
        .map(({ namespace, child }) => (namespace === own ? child : { ...child, namespace })),
  };
}

function selectorOf({ clients: { identity } }: Run, { kinds, name }: Area) {
  const partOf = kinds.length === 1 ? kinds[0]?.kind.toLowerCase() : undefined;
  const instance = name === undefined ? undefined : labelValue(name);
  const narrower = present({ [label.partOf]: partOf, [label.instance]: instance });
  return { [label.managedBy]: identity.name, ...narrower };
}

export const listResources = (
  run: Run,
  area: Pick<Area, 'namespaces'> & Partial<Area>,
  kind: Kind,
  each: (resource: ObservedResource) => void,
): Promise<void> =>
  listIn(area, (namespace) =>
    run.cluster.list(kind, { name: area.name, namespace }, (live) => {
      if (area.uids?.has(live.metadata.uid) !== false)
        each(observeResource(kind, live, run.clients));
    }),
  );

/** Waits for every list even if one fails: a list still in progress would take memory that nobody releases. */
async function listIn(
  { namespaces }: Pick<Area, 'namespaces'>,
  list: (namespace: string | undefined) => Promise<void>,
): Promise<void> {
  for (const result of await Promise.allSettled((namespaces ?? [undefined]).map(list)))
    if (result.status === 'rejected') throw result.reason;
}

export const worldOf = (
  subject: Subject & Required<Pick<World, 'now' | 'unlisted'>>,
  children: Map<string, ObservedChild>,
): LiveWorld => ({
  ...subject,
  children,
  applied: new Map(),
  asked: new Map(),
  reads: new Map(),
  absent: new Set(),
  unread: new Map(),
  givenUp: new Map(),
  possiblePaths: new Map(),
});

/** Such as `websites.kubecon.my.domain default/shop`. */
export const keyOfResource = ({ kind, resource: { namespace, name } }: NamedResource): string =>
  `${groupResource(kind)} ${qualifiedName(namespace, name)}`;

/**
 * Reads an object into the world, even a foreign object. Unless our managedFields entry is unchanged, the caller must
 * clear `world.reads`, because another run may have written the child from newer referenced objects.
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
  }
  return live;
}

/** Accepts an owner reference with any uid. */
function isControlledBy({ kind, resource }: World, live: KubeObject): boolean {
  const owner = controllerOf(live);
  const group = owner?.apiVersion?.split('/')[0];
  return owner?.kind === kind.kind && group === kind.group && owner.name === resource.name;
}

export async function readResource(run: Run, { kind, resource }: World) {
  const live = await run.cluster.get(kind, resource);
  return live && observeResource(kind, live, run.clients);
}

export async function getVersion(
  cluster: Cluster,
  { type, ...key }: Key & { readonly type: ResourceType },
  { uid, resourceVersion }: ObjectVersion,
): Promise<KubeObject | undefined> {
  const live = await cluster.get(type, key);
  const isSame = live?.metadata.uid === uid && live.metadata.resourceVersion === resourceVersion;
  return isSame ? live : undefined;
}

/** Ignores differences in labels and status. */
export const isSameSpecification = (a: Specification, b: Specification): boolean =>
  a.uid === b.uid &&
  a.generation === b.generation &&
  a.deleting === b.deleting &&
  a.suspended === b.suspended &&
  a.observeOnly === b.observeOnly;
