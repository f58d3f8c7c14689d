import { isConflict, isNotFound } from '../cluster/cluster-errors.ts';
import { rolloutManager } from '../identity.ts';
import { present } from '../json.ts';
import { rolloutCondition } from '../kinds/condition-types.ts';
import type { Kind } from '../kinds/kind.ts';
import type { KubeObject } from '../kubernetes.ts';
import { versionOf } from '../plan/decision/decision.ts';
import { rolloutTargetOf } from '../plan/decision/target.ts';
import { resourceManifest } from '../plan/observed/apply-manifest.ts';
import type { ConditionSummary } from '../plan/observed/conditions.ts';
import { type ObservedResource, observeResource } from '../plan/observed/observed-resource.ts';
import {
  isUnderWay,
  type Mark,
  type MarkReason,
  targetField,
} from '../plan/observed/rollout-mark.ts';
import type { World } from '../plan/observed/world.ts';
import { type Run, timestamp } from '../run/run.ts';
import type { Member } from './fleet.ts';
import { type Gated, nextMark } from './gate.ts';

interface Marked {
  readonly kind: Kind;
  readonly resource: Omit<Member, 'ready' | 'problem'>;
}

export const markMessages = {
  Waiting: "waits for a slot in the rollout of a new version of its kind's code",
  Starting: "chosen in the rollout of a new version of its kind's code",
  RollingOut: "being changed by a new version of its kind's code",
  RolloutHalted: "changed by a new version of its kind's code, but not Ready in time",
  RolledOut: "changed by a new version of its kind's code, and Ready",
} as const satisfies Record<MarkReason, string>;

type NextMark = Pick<Mark, 'reason'> & Partial<Pick<Mark, 'target'>>;

/** Locks the write to the version read. Returns undefined if the resource has changed or is gone. */
export async function writeMark(
  run: Run,
  marked: Marked,
  next: NextMark | 'none',
): Promise<ObservedResource | undefined> {
  try {
    const live = await (next === 'none' ? removeMark(run, marked) : applyMark(run, marked, next));
    return live && observeResource(marked.kind, live, run.clients);
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return undefined;
    throw error;
  }
}

function applyMark(
  run: Run,
  { kind, resource }: Marked,
  { reason, target }: NextMark,
): Promise<KubeObject> {
  const { rollout: mark } = resource;
  const isPending = reason !== 'RolledOut';
  const isSameStatus = mark !== undefined && (mark.reason !== 'RolledOut') === isPending;
  const condition = {
    type: rolloutCondition,
    status: isPending ? 'True' : 'False',
    reason,
    message: markMessages[reason],
    observedGeneration: resource.generation,
    lastTransitionTime: isSameStatus ? mark.statusSince : timestamp(run.clients.now()),
  };
  const status = { conditions: [condition], ...present({ [targetField]: target }) };
  const manifest = resourceManifest({ kind, resource }, { status }, versionOf(resource));
  const manager = rolloutManager(run.clients.identity);
  return run.cluster.apply(kind, manifest, { manager, subresource: 'status' });
}

/** Removes the condition by its index, because an apply would leave a condition that another manager owns. */
async function removeMark(run: Run, { kind, resource }: Marked): Promise<KubeObject | undefined> {
  if (resource.markAt === undefined) return undefined;
  return run.cluster.patch(kind, resource, {
    manager: rolloutManager(run.clients.identity),
    subresource: 'status',
    resourceVersion: resource.resourceVersion,
    operations: [
      { op: 'remove', path: `/status/conditions/${resource.markAt}` },
      ...(resource.rollout?.target === undefined
        ? []
        : [{ op: 'remove', path: `/status/${targetField}` }]),
    ],
  });
}

/**
 * Marks a resource as being changed, with the target of the change, before the first write of a child.
 *
 * Guarantees: returns the marked resource. Returns undefined if the resource has changed since it was read, because
 * another run may have changed its mark. Runs of other versions keep the mark for a minute, even if they find nothing
 * to change.
 */
export async function takeSlot(run: Run, world: World): Promise<ObservedResource | undefined> {
  const { resource } = world;
  const target = rolloutTargetOf(world);
  const { rollout } = resource;
  if (isUnderWay(rollout) && rollout?.target === target) return resource;
  return writeMark(run, world, { reason: 'RollingOut', target });
}

/** Updates the mark after this run's writes, before the status. */
export async function settleMark(
  run: Run,
  world: World,
  found: Pick<Gated, 'role'> & { readonly summary: ConditionSummary },
): Promise<ObservedResource> {
  const reason = nextMark(world, { ...found, now: run.clients.now() });
  if (reason === undefined) return world.resource;
  const next = reason === 'none' ? reason : { reason };
  return (await writeMark(run, world, next)) ?? world.resource;
}
