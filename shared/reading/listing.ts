import type { Selection } from '../cluster/cluster.ts';
import { isExpired } from '../cluster/cluster-errors.ts';
import { present } from '../json.ts';
import type { ChildType } from '../kinds/child-type.ts';
import type { Kind } from '../kinds/kind.ts';
import { childTypesOf } from '../kinds/kind.ts';
import { label, labelValue } from '../kinds/names.ts';
import type { KubeObject, ResourceType } from '../kubernetes.ts';
import { groupResource } from '../kubernetes.ts';
import { controlledBy, type ObservedChild, observeChild } from '../plan/observed/observed.ts';
import { type ObservedResource, observeResource } from '../plan/observed/observed-resource.ts';
import { openPools } from '../plan/observed/unreadable.ts';
import type { Area } from '../run/area.ts';
import { keepChild } from '../run/memory-budget.ts';
import type { Run } from '../run/run.ts';

export interface ListedChildren {
  /** The listed children that a resource controls: in its namespace, or anywhere if it is cluster-scoped. */
  readonly childrenOf: (owner: Owner) => readonly ObservedChild[];
  /** Types whose lists failed, such as `deployments.apps`, with the error. */
  readonly failed: ReadonlyMap<string, unknown>;
}

type Owner = Pick<ObservedResource, 'namespace' | 'uid'>;

/** Opens a pool for each namespace, which limits the cost of reading its objects to about 0.2 s of CPU. */
export const poolsOfNamespaces = () => openPools(20_000_000);

/** Lists our children of each type that the area's kinds own. */
export async function listChildren(run: Run, area: Area): Promise<ListedChildren> {
  const children = createIndex();
  const poolOf = poolsOfNamespaces();
  const failed = new Map<string, unknown>();
  const keep = (type: ChildType, live: KubeObject): void => {
    const { uid = '' } = controlledBy(live) ?? {};
    // Skips an object without a valid controller, because it is no child.
    if (uid === '' || area.uids?.has(uid) === false) return;
    const { namespace = '' } = live.metadata;
    const child = observeChild(type, live, {
      identity: run.clients.identity,
      pool: poolOf(namespace),
    });
    children.add({ namespace, uid }, keepChild(run.limits.memory, namespace, child));
  };
  const selection = { labels: selectorOf(run, area) };
  await Promise.all(
    childTypesOf(area.kinds).map((type) =>
      listIn(run, area, { type, selection, each: (live) => keep(type, live) }).catch(
        (error: unknown) => {
          failed.set(groupResource(type), error);
        },
      ),
    ),
  );
  const isListed = ({ type }: ObservedChild): boolean => !failed.has(groupResource(type));
  const childrenOf = (owner: Owner) => children.of(owner).filter(isListed);
  return { childrenOf, failed };
}

/** Indexes children by their controller's uid, then by namespace: anyone may claim that uid in another namespace. */
function createIndex() {
  const byUid = new Map<string, Map<string, ObservedChild[]>>();
  return {
    add({ namespace, uid }: Owner, child: ObservedChild): void {
      const byNamespace = byUid.get(uid) ?? new Map<string, ObservedChild[]>();
      byUid.set(uid, byNamespace);
      const siblings = byNamespace.get(namespace);
      if (siblings === undefined) byNamespace.set(namespace, [child]);
      else siblings.push(child);
    },
    of({ namespace: own, uid }: Owner): readonly ObservedChild[] {
      const byNamespace = byUid.get(uid);
      if (own !== '' || byNamespace === undefined) return byNamespace?.get(own) ?? [];
      return [...byNamespace].flatMap(([namespace, children]) =>
        namespace === '' ? children : children.map((child) => ({ ...child, namespace })),
      );
    },
  };
}

export const listResources = (
  run: Run,
  area: Area,
  kind: Kind,
  each: (resource: ObservedResource) => void,
): Promise<void> =>
  listIn(run, area, {
    type: kind,
    selection: { name: area.name },
    each(live) {
      if (area.uids?.has(live.metadata.uid) !== false)
        each(observeResource(kind, live, run.clients));
    },
  });

/** Lists a second time if the pages expire meanwhile (410). `list` must begin from scratch each time. */
export const retryExpired = <T>(list: () => Promise<T>): Promise<T> =>
  list().catch((error: unknown) => {
    if (!isExpired(error)) throw error;
    return list();
  });

interface Listed {
  readonly type: ResourceType;
  readonly selection: Omit<Selection, 'namespace'>;
  readonly each: (live: KubeObject) => void;
}

/** Rejects only once all lists have ended, so that none takes memory after the caller has released it. */
async function listIn(
  { cluster }: Run,
  { namespaces = [undefined] }: { readonly namespaces: Area['namespaces'] | [undefined] },
  { type, selection, each }: Listed,
): Promise<void> {
  const lists = namespaces.map((namespace) =>
    cluster.list(type, { ...selection, namespace }, each),
  );
  for (const result of await Promise.allSettled(lists))
    if (result.status === 'rejected') throw result.reason;
}

/** Returns the narrowest selector that matches all children of the area's resources. */
function selectorOf(
  { clients: { identity } }: Run,
  { kinds, name }: Area,
): Required<Selection>['labels'] {
  const [kind, ...more] = kinds;
  const partOf = more.length === 0 ? kind?.kind.toLowerCase() : undefined;
  const instance = name === undefined ? undefined : labelValue(name);
  const narrower = present({ [label.partOf]: partOf, [label.instance]: instance });
  return { [label.managedBy]: identity.name, ...narrower };
}
