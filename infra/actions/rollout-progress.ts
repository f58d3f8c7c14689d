import { present } from '../../shared/json.ts';
import type { RolloutPolicy } from '../../shared/kinds/rollout-budget.ts';
import type { Fleet, Member } from '../../shared/rollout/fleet.ts';
import type { RolloutPause } from '../../shared/rollout/pause.ts';
import { budgetOf, canBegin, waveOf } from '../../shared/rollout/wave.ts';

export interface RolloutProgress {
  readonly state: 'none' | 'underWay' | 'paused' | 'halted';
  readonly resources: number;
  /** Number of resources that have been changed and have become Ready. */
  readonly done: number;
  /** Number of resources that are chosen, or that are changed and still have time to become Ready. */
  readonly underWay: number;
  readonly failed: number;
  readonly waiting: number;
  /** Number of waiting resources that cannot be chosen, such as suspended or unready resources. */
  readonly unable: number;
  /** Maximum number of resources changed at a time, once the first resource is done. */
  readonly budget: number;
  /** The present maximum: 1 until the first resource is done, then `budget`. */
  readonly slots: number;
  /**
   * Number of remaining resyncs, assuming that resources become Ready in the resync that changes them; undefined if
   * no resource can be changed.
   */
  readonly resyncsLeft: number | undefined;
  readonly members: readonly RolloutMember[];
}

/** A resource that is chosen, or changed but not Ready yet. */
export interface RolloutMember {
  readonly namespace: string;
  readonly name: string;
  /**
   * `late`: not Ready in time, but not marked as failed: either no resync has run since, or the failures do not exceed
   * ROLLOUT_FAILURES. `forgiven`: failed, but not counted any more, for example after a resume.
   */
  readonly state: 'chosen' | 'underWay' | 'late' | 'failed' | 'forgiven';
  readonly since: string;
  /** The Ready condition, if it is False: `Progressing: 1 of 2 replicas are available` */
  readonly message?: string;
}

export interface ProgressOptions {
  readonly policy: RolloutPolicy;
  readonly now: Date;
  readonly pause: RolloutPause;
}

export function progressOf(fleet: Fleet, at: ProgressOptions): RolloutProgress {
  const { chosen, underWay, failed, forgiven, halted, slots, waiting } = waveOf(fleet, at);
  const { paused } = at.pause;
  const late = [...failed, ...forgiven];
  const progressing = underWay.filter((one) => !late.includes(one));
  const begun = beginOf(fleet);
  const counts = {
    resources: fleet.resources,
    done: begun === undefined ? 0 : fleet.done.filter((time) => time >= begun).length,
    underWay: chosen.length + progressing.length,
    failed: late.length,
    waiting: waiting.length,
    unable: waiting.filter((one) => !canBegin(one)).length,
    budget: budgetOf(fleet, at.policy),
    slots,
  };
  return {
    state: halted ? 'halted' : paused ? 'paused' : begun === undefined ? 'none' : 'underWay',
    ...counts,
    resyncsLeft: halted || paused ? undefined : resyncsLeft(counts, failed.length),
    members: [
      ...failed.map((one) =>
        shown(one, one.rollout?.reason === 'RolloutHalted' ? 'failed' : 'late'),
      ),
      ...forgiven.map((one) => shown(one, 'forgiven')),
      ...progressing.map((one) => shown(one, 'underWay')),
      ...chosen.map((one) => shown(one, 'chosen')),
    ],
  };
}

/** Undefined without a rollout. */
const beginOf = ({ members }: Fleet): string | undefined =>
  [...members.values()].flatMap(({ rollout }) => rollout?.statusSince ?? []).toSorted()[0];

/** Omits resources that cannot be chosen. */
export function resyncsLeft(
  {
    underWay,
    waiting,
    unable,
    budget,
    slots,
  }: Pick<RolloutProgress, 'underWay' | 'waiting' | 'unable' | 'budget' | 'slots'>,
  failed: number,
): number | undefined {
  const able = waiting - unable;
  if (able === 0 && underWay > 0) return 1;
  if (able === 0) return waiting + failed > 0 ? undefined : 0;
  // Resources under way keep their slots in the next resync; later resyncs can use these slots.
  const next = Math.min(able, Math.max(0, slots - failed - underWay));
  const later = budget - failed;
  const isStuck = next === 0 && underWay === 0;
  if (isStuck || (next < able && later <= 0)) return undefined;
  return 1 + (next === able ? 0 : Math.ceil((able - next) / later));
}

const shown = (
  { namespace, name, rollout, problem }: Member,
  state: RolloutMember['state'],
): RolloutMember => ({
  namespace,
  name,
  state,
  since: rollout?.since ?? '',
  ...present({ message: problem }),
});
