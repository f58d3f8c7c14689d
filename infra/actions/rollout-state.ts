import type { Config } from '../../shared/config/config.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { RolloutPolicy } from '../../shared/kinds/rollout-budget.ts';
import { groupResource } from '../../shared/kubernetes.ts';
import type { ObservedResource } from '../../shared/plan/observed/observed-resource.ts';
import { listFleet } from '../../shared/rollout/choose.ts';
import { addMarked, type Fleet, newFleet } from '../../shared/rollout/fleet.ts';
import { notPaused, type RolloutPause, readRolloutPause } from '../../shared/rollout/pause.ts';
import type { Run } from '../../shared/run/run.ts';
import { RefusedActionError } from './refused-action-error.ts';
import { type ProgressOptions, progressOf, type RolloutProgress } from './rollout-progress.ts';

/** The rollout of a kind, which `rollout -o json` prints with `secondsLeft`. */
export interface KindRollout extends RolloutProgress {
  readonly kind: string;
  /** `websites.kubecon.my.domain` */
  readonly resource: string;
}

/** Lists the resources of the kind once, and reads the annotation of its CRD that pauses rollouts. */
export async function readRollout(
  run: Run,
  kind: Kind,
  config: Config,
): Promise<{ readonly rollout: KindRollout; readonly pause: RolloutPause }> {
  const policy = requirePolicy(config);
  const fleet = await listFleet(run, config, kind);
  const pause = await readRolloutPause(run, kind);
  return { rollout: rolloutOf(fleet, { policy, now: run.clients.now(), pause }), pause };
}

export const rolloutsAreOff =
  'Rollouts are off: one run changes all resources of a kind. To turn rollouts on, set ROLLOUT_BUDGET in the environment of npm start, or of the functions and of this command, for example to 10%.';

function requirePolicy({ rollout }: Config): RolloutPolicy {
  if (rollout !== undefined) return rollout;
  throw new RefusedActionError(rolloutsAreOff);
}

/** Finds the rollouts in progress among resources that have been read. Reads the CRDs of their kinds. */
export async function rolloutsIn(
  run: Pick<Run, 'policy' | 'clients' | 'cluster'>,
  found: readonly { readonly kind: Kind; readonly resource: ObservedResource }[],
): Promise<readonly KindRollout[]> {
  const { rollout: policy } = run.policy;
  if (policy === undefined) return [];
  const rollouts: KindRollout[] = [];
  for (const [kind, own] of Map.groupBy(found, (one) => one.kind)) {
    const fleet = newFleet(kind);
    for (const { resource } of own) addMarked(fleet, resource);
    if (fleet.members.size === 0) continue;
    const pause = await readRolloutPause(run, kind).catch(() => notPaused);
    rollouts.push(rolloutOf(fleet, { policy, now: run.clients.now(), pause }));
  }
  return rollouts;
}

const rolloutOf = (fleet: Fleet, at: ProgressOptions): KindRollout => ({
  kind: fleet.kind.kind,
  resource: groupResource(fleet.kind),
  ...progressOf(fleet, at),
});
