import { requestsIn } from '../cluster/cluster.ts';
import { ownedType } from '../kinds/kind.ts';
import type { Finding } from '../plan/finding.ts';
import type { ObservedResource } from '../plan/observed.ts';
import type { ResourceStatus } from '../plan/recorded-status.ts';
import { isNew, mayWait } from '../plan/unwritten.ts';
import { keyOf, type World } from '../plan/world.ts';
import { weightOf } from './memory-budget.ts';
import { isSameSpecification, readChild, worldOf } from './read.ts';
import type { Run } from './run.ts';
import type { LiveWorld, ReconcileState, Unwritten } from './state.ts';

export const openUnwritten = ({ now, memoryBudget }: Run): Unwritten => ({
  statuses: new Map(),
  started: now().getTime(),
  memoryBudget,
  requestMs: 0,
  closed: false,
});

/** How long a new resource may be without a status. */
const maxWaitMs = 15_000;
/** No status waits with less time left than this, beside the time to write all that wait. */
const leastMs = 100;

/** The resources whose statuses wait. */
export const unwrittenIn = ({ unwritten }: Run): readonly LiveWorld[] =>
  [...(unwritten?.statuses.values() ?? [])].map(({ world }) => world);

/** From now on each status is written at once. Returns the resources whose statuses wait. */
export function closeUnwritten(run: Run): readonly LiveWorld[] {
  if (run.unwritten !== undefined) run.unwritten.closed = true;
  return unwrittenIn(run);
}

/** How long it takes to write all statuses that wait, in milliseconds. */
export const unwrittenMs = ({ unwritten }: Run): number =>
  unwritten === undefined ? 0 : unwritten.statuses.size * unwritten.requestMs;

/** The resource as it would be read if its status was written. */
export function withUnwritten({ unwritten }: Run, resource: ObservedResource): ObservedResource {
  const { uid } = resource;
  const waiting = unwritten?.statuses.get(uid);
  if (waiting === undefined || !isNew(resource)) return resource;
  const { world, status } = waiting;
  if (isSameSpecification(resource, world.resource))
    unwritten?.statuses.set(uid, { ...waiting, world: { ...world, resource } });
  // The status that is read differs from it, so it is written even if nothing else changes.
  return { ...resource, status, strayStatus: true };
}

/**
 * If another run has reported on the resource meanwhile, reads by name what this run wrote for it. Returns whether
 * it did: no other run may know these children.
 */
export async function recallChildren(run: Run, world: LiveWorld): Promise<boolean> {
  const { kind, resource, children } = world;
  const { uid, status } = resource;
  const waiting = run.unwritten?.statuses.get(uid);
  if (waiting === undefined || status === waiting.status) return false;
  for (const ref of waiting.status.children ?? []) {
    const type = ownedType(kind, ref);
    if (type !== undefined && !children.has(keyOf(ref)))
      await readChild(run, world, { ...ref, type });
  }
  run.unwritten?.statuses.delete(uid);
  return true;
}

/** Whether the status of a resource may be written later: what this run wrote for it is its first write. */
export function mayStayUnwritten(
  run: Run,
  { world: { resource }, wrote }: ReconcileState,
  { found, status }: { readonly found: Finding; readonly status: ResourceStatus },
): boolean {
  const { unwritten, deadline } = run;
  if (unwritten === undefined || unwritten.closed || !mayWait(found)) return false;
  const now = run.now().getTime();
  if (now + leastMs + unwrittenMs(run) >= deadline) return false;
  const waiting = unwritten.statuses.get(resource.uid);
  if (waiting !== undefined) return !wrote && now - waiting.since < maxWaitMs;
  const { namespace } = resource;
  return wrote && isNew(resource) && unwritten.memoryBudget.admit(namespace, weightOf(status));
}

/** Keeps a status to be written later, in place of an earlier one. */
export function keepUnwritten(run: Run, subject: World, status: ResourceStatus): void {
  const { unwritten } = run;
  if (unwritten === undefined) return;
  const now = run.now().getTime();
  const { uid } = subject.resource;
  const waiting = unwritten.statuses.get(uid);
  if (waiting === undefined)
    unwritten.requestMs = (now - unwritten.started) / (requestsIn(run.cluster.traffic) + 1);
  const { world, since } = waiting ?? { world: worldOf(subject, new Map()), since: now };
  unwritten.statuses.set(uid, { world, status, since });
}
