import { messageOf } from '../cluster/errors.ts';
import type { KubeObject } from '../kubernetes.ts';
import { readyOf } from '../plan/conditions.ts';
import {
  type Attempt,
  type FightDetector,
  fightDetector,
  needsRepairEvents,
  type Repair,
} from '../plan/contest.ts';
import type { Decision } from '../plan/decision.ts';
import { isEdited, isUntried } from '../plan/edited.ts';
import {
  eventNamespaceOf,
  eventType,
  maxMessage,
  repairReason,
} from '../plan/kubernetes-events.ts';
import type { ObservedResource } from '../plan/observed.ts';
import { decisionsOf, type Plan } from '../plan/plan.ts';
import { isReading } from '../plan/references.ts';
import { keyOf, type World } from '../plan/world.ts';
import { type Repairs, type Run, timestamp } from './run.ts';

/**
 * The detector for writes that are left to the next tick because others undo them; undefined if none
 * can be contested.
 *
 * Flow: our own Events are read only if a fight is possible and nothing else shows it.
 * Guarantees: an audit event never feeds a fight, and neither does a Scope message within 30 s of
 * another. A tick repairs at most once, since its later passes (settle) do not repair contested fields.
 * Caveats: a generation that no run has tried yet is always applied. After that each child is judged by
 * itself, whatever keeps the generation from being acted on.
 */
export async function fightDetectorFor(
  run: Run,
  world: World,
  planned: Plan,
): Promise<FightDetector | undefined> {
  const { resource } = world;
  const { namespace } = resource;
  if (run.trigger === 'tick' || isUntried(resource) || planned.state !== 'planned')
    return undefined;
  const attempts = decisionsOf(planned).flatMap((decision) => attemptOf(decision, world));
  if (attempts.length === 0) return undefined;
  const now = timestamp(run.now());
  const repairs = attempts.some((one) => needsRepairEvents(one, now))
    ? (await run.repairs(run, eventNamespaceOf(resource))).get(resource.uid)
    : undefined;
  return fightDetector({
    ...{ now, repairs: repairs ?? [], namespace },
    ...{ readyMessage: readyMessageOf(resource), statusTime: resource.statusTime },
    ...{
      causes: run.causes ?? [],
      edited: isEdited(resource) || isReading(world),
      fromScopeMessage: run.trigger === 'scope',
    },
  });
}

function readyMessageOf(resource: ObservedResource): string {
  const ready = readyOf(resource);
  return ready?.observedGeneration === resource.generation ? ready.message : '';
}

function attemptOf(decision: Decision, { children }: World): readonly Attempt[] {
  const { verb, child } = decision;
  const observed = children.get(keyOf(child));
  switch (verb) {
    case 'create':
      return decision.lost ? [{ verb, child, observed, differences: [] }] : [];
    case 'update':
      return [{ verb, child, observed, differences: decision.differences }];
    case 'consolidate':
    case 'delete':
      return [{ verb, child, observed, differences: [] }];
    default:
      return [];
  }
}

interface KubernetesEvent {
  readonly message?: string;
  readonly lastTimestamp?: string;
  readonly involvedObject?: { readonly uid?: string };
}

/** Of one namespace: 10 MB at most. Others may write Events as large and as many as they like. */
const maxRepairs = 10_000;
const maxUid = 64;

/**
 * Lists the Events of a namespace once, when first needed, so that many repairs at once do not cost a
 * request each.
 *
 * Caveats: if Events cannot be read, or are too many, nothing counts as contested: a fight may go on,
 * but no repair is missed.
 */
export function readRepairs(): Repairs {
  const read = new Map<string, Promise<ReadonlyMap<string, readonly Repair[]>>>();
  return (run, namespace) => {
    const known = read.get(namespace) ?? listRepairs(run, namespace);
    read.set(namespace, known);
    return known;
  };
}

async function listRepairs(
  { cluster, log, identity }: Run,
  namespace: string,
): Promise<ReadonlyMap<string, readonly Repair[]>> {
  const found = new Map<string, Repair[]>();
  let kept = 0;
  const fields = { reason: repairReason, reportingComponent: identity.name };
  const keep = (live: KubeObject): void => {
    const {
      message = '',
      lastTimestamp: time = '',
      involvedObject,
    } = live as KubeObject & KubernetesEvent;
    const uid = involvedObject?.uid ?? '';
    if (message.length > maxMessage || uid.length > maxUid || kept === maxRepairs) return;
    kept++;
    const own = found.get(uid) ?? [];
    own.push({ message, time });
    found.set(uid, own);
  };
  try {
    await cluster.list(eventType, { namespace, fields }, keep);
  } catch (error) {
    log.warning('events not listed', { namespace, error: messageOf(error) });
  }
  return found;
}
