import type { Config } from '../../shared/config/config.ts';
import { present } from '../../shared/json.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { groupResource, qualifiedName } from '../../shared/kubernetes.ts';
import { readyOf } from '../../shared/plan/conditions.ts';
import { type ObservedResource, observeResource } from '../../shared/plan/observed.ts';
import type { RolloutPolicy } from '../../shared/plan/rollout.ts';
import { notPaused, type RolloutPause } from '../../shared/plan/rollout-pause.ts';
import {
  type ProgressOptions,
  progressOf,
  type RolloutMember,
  type RolloutProgress,
} from '../../shared/plan/rollout-progress.ts';
import { addMember, newFleet } from '../../shared/plan/rollout-wave.ts';
import { listResources } from '../../shared/reconcile/listing.ts';
import { type DefinitionReader, readRolloutPause } from '../../shared/reconcile/rollout-pause.ts';
import type { Run } from '../../shared/reconcile/run.ts';
import { RefusedError } from './refused-error.ts';

/** The rollout of a kind, as `rollout -o json` prints it. */
export interface KindRollout extends Omit<RolloutProgress, 'members'> {
  readonly kind: string;
  /** `websites.kubecon.my.domain` */
  readonly resource: string;
  readonly members: readonly (RolloutMember & { readonly message?: string })[];
}

/** Reads one list of the kind, and the annotation of its definition. */
export async function readRollout(
  run: Run,
  kind: Kind,
  config: Config,
): Promise<{ readonly rollout: KindRollout; readonly pause: RolloutPause }> {
  const { namespaces } = config;
  const policy = requirePolicy(config);
  const tally = openTally(kind);
  await listResources(run, { kinds: [kind], namespaces, name: undefined }, kind, (live) =>
    tally.add(observeResource(kind, live, run)),
  );
  const pause = await readRolloutPause(run, kind);
  return { rollout: tally.progress({ policy, now: run.now(), pause }), pause };
}

export const rolloutsAreOff =
  'Rollouts are off: a run changes all resources of a kind at once (ROLLOUT_BUDGET is off, the default of npm start). To turn them on, set ROLLOUT_BUDGET for the functions and here, such as to 10%.';

function requirePolicy({ rollout }: Config): RolloutPolicy {
  if (rollout !== undefined) return rollout;
  throw new RefusedError(rolloutsAreOff);
}

/** The rollouts that are not over, of kinds whose resources were read already; reads their definitions. */
export async function rolloutsIn(
  run: Pick<Run, 'rollout' | 'now'> & DefinitionReader,
  found: readonly { readonly kind: Kind; readonly resource: ObservedResource }[],
): Promise<readonly KindRollout[]> {
  const { rollout: policy } = run;
  if (policy === undefined) return [];
  const rollouts: KindRollout[] = [];
  for (const [kind, own] of Map.groupBy(found, (one) => one.kind)) {
    const tally = openTally(kind);
    for (const { resource } of own) tally.add(resource);
    if (!tally.isUnderWay()) continue;
    const pause = await readRolloutPause(run, kind).catch(() => notPaused);
    rollouts.push(tally.progress({ policy, now: run.now(), pause }));
  }
  return rollouts;
}

function openTally(kind: Kind) {
  const fleet = newFleet(kind);
  const done: string[] = [];
  const messages = new Map<string, string>();
  return {
    add(resource: ObservedResource): void {
      const { uid, namespace, name, rollout } = resource;
      addMember(fleet, resource);
      if (rollout?.reason === 'RolledOut') done.push(rollout.waitingSince);
      const ready = readyOf(resource);
      if (fleet.members.has(uid) && ready?.status === 'False')
        messages.set(qualifiedName(namespace, name), `${ready.reason}: ${ready.message}`);
    },
    isUnderWay: (): boolean => fleet.members.size > 0,
    progress(at: Omit<ProgressOptions, 'done'>): KindRollout {
      const found = progressOf(fleet, { done, ...at });
      const members = found.members.map((one) => {
        const message = messages.get(qualifiedName(one.namespace, one.name));
        return { ...one, ...present({ message }) };
      });
      return { kind: kind.kind, resource: groupResource(kind), ...found, members };
    },
  };
}
