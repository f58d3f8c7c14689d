import type { ChildKey } from '../audit/route.ts';
import { isNotFound } from '../cluster/errors.ts';
import type { Kind } from '../kinds/define-kind.ts';
import { groupResource, type KubeObject, type ResourceType } from '../kubernetes.ts';
import { observeResource } from '../plan/observed.ts';
import { type Scope, scopeOf } from '../scope.ts';
import type { Run } from './run.ts';

/**
 * The resources that a write of a child concerns: alive, its controller, if that is of a kind of
 * ours; gone, whichever resource in its namespace wants a child of that name.
 */
export async function resourcesOf(
  run: Run,
  kinds: readonly Kind[],
  child: ChildKey,
): Promise<readonly Scope[]> {
  const live = await run.cluster.getMetadata(child.type, child);
  if (live === undefined) return wanting(run, kinds, child);
  const owner = live.ownerReferences?.find(({ controller }) => controller === true);
  const kind = kinds.find(
    (candidate) =>
      candidate.kind === owner?.kind && owner.apiVersion.startsWith(`${candidate.group}/`),
  );
  return kind === undefined || owner === undefined
    ? []
    : [scopeOf(groupResource(kind), child.namespace, owner.name)];
}

async function wanting(
  run: Run,
  kinds: readonly Kind[],
  { type, namespace, name }: ChildKey,
): Promise<readonly Scope[]> {
  const scopes: Scope[] = [];
  const isOfType = (other: ResourceType): boolean => groupResource(other) === groupResource(type);
  for (const kind of kinds.filter(({ owns }) => owns.some(isOfType))) {
    const keep = (live: KubeObject): void => {
      const resource = observeResource(live);
      const desired = kind.desired(resource);
      if ('invalid' in desired) return;
      if (desired.some((wanted) => isOfType(wanted.type) && wanted.name === name)) {
        scopes.push(scopeOf(groupResource(kind), namespace, resource.name));
      }
    };
    await run.cluster.list(kind, { namespace }, keep).catch(unlessNotServed);
  }
  return scopes;
}

/** A kind whose CRD is not installed wants nothing; ticks tell of it. */
function unlessNotServed(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
