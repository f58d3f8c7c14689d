import type { KnownObjects, Selection } from '../cluster/cluster.ts';
import { namesOf } from '../identity.ts';
import type { ChildType } from '../kinds/child-type.ts';
import type { Kind } from '../kinds/kind.ts';
import { childTypesOf } from '../kinds/kind.ts';
import { label, labelValue } from '../kinds/names.ts';
import type { KubeObject, ResourceType } from '../kubernetes.ts';
import { groupResource } from '../kubernetes.ts';
import {
  controlledBy,
  type ObservedChild,
  type ObservedResource,
  observeChild,
} from '../plan/observed.ts';
import { openPools } from '../plan/unreadable.ts';
import type { Area } from './area.ts';
import type { Made } from './known-objects.ts';
import { keepChild, weightOfChild } from './memory-budget.ts';
import type { Run } from './run.ts';
import { whenAll } from './when-all.ts';

export interface ListedChildren {
  /** The children that a resource controls: in its own namespace, or anywhere if it is cluster-scoped. */
  readonly childrenOf: (owner: Owner) => readonly ObservedChild[];
  /** Types whose lists failed (`deployments.apps`), with the error. */
  readonly failed: ReadonlyMap<string, unknown>;
}

type Owner = Pick<ObservedResource, 'namespace' | 'uid'>;

/** A child by its owner. */
interface Kept extends Owner {
  readonly bytes: number;
  readonly child: ObservedChild;
}

/** What the objects of one namespace may cost to read, together about 0.2 s of CPU. */
export const poolsOfNamespaces = () => openPools(20_000_000);

/** Lists our children, of each type that the area's kinds own; only those with an owner in `awaited`, if given. */
export async function listChildren(
  run: Run,
  area: Area,
  awaited?: ReadonlySet<string>,
): Promise<ListedChildren> {
  const children = createIndex();
  const poolOf = poolsOfNamespaces();
  const failed = new Map<string, unknown>();
  const keep = (type: ChildType, live: KubeObject): Kept | undefined => {
    const { uid = '' } = controlledBy(live) ?? {};
    // An object without a valid controller is no child, and is not read any further.
    if (uid === '' || awaited?.has(uid) === false) return undefined;
    const { namespace = '' } = live.metadata;
    const pool = poolOf(namespace);
    const child = observeChild(type, live, { identity: run.identity, pool });
    const bytes = weightOfChild(child);
    const kept = keepChild(run.memoryBudget, namespace, child, bytes);
    children.add({ namespace, uid }, kept);
    // What makes a child unreadable may be what was read before it.
    return kept.unreadable === undefined ? { namespace, uid, bytes, child } : undefined;
  };
  const again = (kept: Kept): Kept => {
    children.add(kept, kept.child);
    return kept;
  };
  const selection = { labels: selectorOf(run, area) };
  await Promise.all(
    childTypesOf(area.kinds).map((type) =>
      listIn(run, area, {
        ...{ type, selection },
        read: { each: (live) => keep(type, live), again },
      }).catch((error: unknown) => {
        failed.set(groupResource(type), error);
      }),
    ),
  );
  return { childrenOf: children.of, failed };
}

/** Children by the uid of their controller, and then by namespace: in another one, anyone may claim it. */
function createIndex() {
  const byUid = new Map<string, Map<string, ObservedChild[]>>();
  return {
    add({ namespace, uid }: Owner, child: ObservedChild): void {
      const places = byUid.get(uid) ?? new Map<string, ObservedChild[]>();
      byUid.set(uid, places);
      const siblings = places.get(namespace);
      if (siblings === undefined) places.set(namespace, [child]);
      else siblings.push(child);
    },
    of({ namespace: own, uid }: Owner): readonly ObservedChild[] {
      const places = byUid.get(uid);
      if (own !== '' || places === undefined) return places?.get(own) ?? [];
      return [...places].flatMap(([namespace, children]) =>
        namespace === '' ? children : children.map((child) => located(child, namespace)),
      );
    },
  };
}

/** A child as its cluster-scoped owner sees it; the same object for the same child, as it may be known. */
function located(child: ObservedChild, namespace: string): ObservedChild {
  const seen = locatedChildren.get(child) ?? { ...child, namespace };
  locatedChildren.set(child, seen);
  return seen;
}

const locatedChildren = new WeakMap<ObservedChild, ObservedChild>();

/** Lists the area's resources of one kind. */
export const listResources = (
  run: Run,
  area: Area,
  kind: Kind,
  each: (live: KubeObject) => void,
): Promise<void> =>
  listIn(run, area, {
    type: kind,
    selection: { name: area.name },
    read: { each: (live) => void each(live) },
  });

/** The same, with what earlier ticks made of the resources. */
export const listKnownResources = <M extends Made>(
  run: Run,
  area: Area,
  kind: Kind,
  read: Required<Reader<M>>,
): Promise<void> => listIn(run, area, { type: kind, selection: { name: area.name }, read });

interface Reader<M> {
  readonly each: (live: KubeObject) => M | undefined;
  /** As in KnownObjects. */
  readonly again?: KnownObjects<M>['again'];
}

interface Listed<M> {
  readonly type: ResourceType;
  readonly selection: Omit<Selection, 'namespace'>;
  readonly read: Reader<M>;
}

async function listIn<M extends Made>(
  { cluster, known }: Run,
  {
    namespaces = [undefined],
  }: { readonly namespaces: readonly (string | undefined)[] | undefined },
  { type, selection, read }: Listed<M>,
): Promise<void> {
  const { each, again } = read;
  await whenAll(
    namespaces.map((namespace) => {
      const selected = { ...selection, namespace };
      // Resources of one kind may be children of another.
      const list = `${groupResource(type)} ${JSON.stringify(selected)}`;
      return cluster.list(type, selected, each, again && known?.list(list, again));
    }),
  );
}

/** The narrowest selector that matches all children of the area's resources. */
function selectorOf({ identity }: Run, { kinds, name }: Area): Required<Selection>['labels'] {
  const [kind] = kinds;
  return {
    [label.managedBy]: namesOf(identity),
    ...(kinds.length === 1 && kind !== undefined
      ? { [label.partOf]: kind.kind.toLowerCase() }
      : {}),
    ...(name === undefined ? {} : { [label.instance]: labelValue(name) }),
  };
}
