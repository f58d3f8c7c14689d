import type { ChildKey } from '../audit/route.ts';
import { isNotFound } from '../cluster/errors.ts';
import type { Kind } from '../kinds/define-kind.ts';
import { groupResource, type KubeObject, type ObjectMeta } from '../kubernetes.ts';
import { type ObservedResource, observeResource } from '../plan/observed.ts';
import { type Scope, scopeOf } from '../scope.ts';
import type { Run } from './run.ts';

/** More children of one type cost more by name than in one list of each namespace. */
const maxNames = 8;

/** Where children are looked for; of more namespaces, every resource that may own them is looked at. */
const maxNamespaces = 32;

export interface Owners {
  readonly scopes: readonly Scope[];
  /** Of lookups that failed. */
  readonly errors: readonly unknown[];
}

/**
 * The resources that writes of children concern: of a child that exists, its controller, if that is of
 * a kind of ours; of one that is gone, every resource in its namespace that wants a child of that name.
 *
 * Guarantees: the number of requests does not grow with the number of children: for each type at most
 * 8 reads or 32 lists of metadata, for each kind at most 32 lists; a lookup that fails hinders no other.
 */
export async function ownersOf(
  run: Run,
  kinds: readonly Kind[],
  children: readonly ChildKey[],
): Promise<Owners> {
  if (new Set(children.map(({ namespace }) => namespace)).size > maxNamespaces) {
    const concerned = kinds.filter((kind) => children.some((child) => isOwned(kind, child)));
    return { scopes: concerned.map((kind) => scopeOf(groupResource(kind))), errors: [] };
  }
  const errors: unknown[] = [];
  const all = async <T>(lookups: readonly Promise<readonly T[]>[]): Promise<readonly T[]> => {
    const settled = await Promise.allSettled(lookups);
    for (const one of settled) if (one.status === 'rejected') errors.push(one.reason);
    return settled.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  };
  const found = await all(lookups(run, children));
  const gone = found.filter(({ live }) => live === undefined).map(({ child }) => child);
  const wanting = await all(
    [...Map.groupBy(gone, ({ namespace }) => namespace)].flatMap(([namespace, lost]) =>
      kinds
        .map((kind) => ({ kind, lost: lost.filter((child) => isOwned(kind, child)) }))
        .filter((one) => one.lost.length > 0)
        .map((one) => listWanting(run, namespace, one)),
    ),
  );
  return { scopes: [...found.flatMap((one) => controllerOf(kinds, one)), ...wanting], errors };
}

const isOwned = ({ owns }: Kind, { type }: ChildKey): boolean =>
  owns.some((own) => own.group === type.group && own.plural === type.plural);

/** A child, and what stands on it now; undefined where it is gone. */
interface Found {
  readonly child: ChildKey;
  readonly live: ObjectMeta | undefined;
}

/** Few children of a type are read by name, many from one list of each namespace. */
function lookups(run: Run, children: readonly ChildKey[]): readonly Promise<readonly Found[]>[] {
  const byType = [...Map.groupBy(children, ({ type }) => groupResource(type)).values()];
  return byType.flatMap((ofType) =>
    ofType.length <= maxNames
      ? ofType.map((child) => readOne(run, child))
      : [...Map.groupBy(ofType, ({ namespace }) => namespace)].map(([namespace, some]) =>
          listSome(run, namespace, some),
        ),
  );
}

const readOne = async ({ cluster }: Run, child: ChildKey): Promise<readonly Found[]> => [
  { child, live: await cluster.getMetadata(child.type, child) },
];

/** Children of one type in one namespace. */
async function listSome(
  { cluster }: Run,
  namespace: string,
  children: readonly ChildKey[],
): Promise<readonly Found[]> {
  const [first] = children;
  if (first === undefined) return [];
  const names = new Set(children.map(({ name }) => name));
  const lives = new Map<string, ObjectMeta>();
  await cluster.list(first.type, { namespace, metadataOnly: true }, ({ metadata }) => {
    if (names.has(metadata.name)) lives.set(metadata.name, metadata);
  });
  return children.map((child) => ({ child, live: lives.get(child.name) }));
}

function controllerOf(kinds: readonly Kind[], { child, live }: Found): readonly Scope[] {
  const owner = live?.ownerReferences?.find(({ controller }) => controller === true);
  const kind = kinds.find(
    (candidate) =>
      candidate.kind === owner?.kind && owner.apiVersion.startsWith(`${candidate.group}/`),
  );
  return kind === undefined || owner === undefined
    ? []
    : [scopeOf(groupResource(kind), child.namespace, owner.name)];
}

interface Loss {
  readonly kind: Kind;
  readonly lost: readonly ChildKey[];
}

async function listWanting(
  { cluster }: Run,
  namespace: string,
  { kind, lost }: Loss,
): Promise<readonly Scope[]> {
  const names = new Set(lost.map(({ type, name }) => `${groupResource(type)}/${name}`));
  const scopes: Scope[] = [];
  const keep = (live: KubeObject): void => {
    const resource = observeResource(live);
    if (wantsAny(kind, resource, names))
      scopes.push(scopeOf(groupResource(kind), namespace, resource.name));
  };
  await cluster.list(kind, { namespace }, keep).catch(unlessNotServed);
  return scopes;
}

function wantsAny(kind: Kind, resource: ObservedResource, names: ReadonlySet<string>): boolean {
  try {
    const desired = kind.desired(resource);
    return (
      !('invalid' in desired) &&
      desired.some(({ type, name }) => names.has(`${groupResource(type)}/${name}`))
    );
  } catch {
    // The kind's own code failed at this one; looking at it fails likewise, and reports it.
    return true;
  }
}

/** A kind whose CRD is not installed wants nothing; ticks report it. */
function unlessNotServed(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
