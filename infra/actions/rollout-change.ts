import type { Kind } from '../../shared/kinds/kind.ts';
import { rolloutAnnotation, rolloutFirstAnnotation } from '../../shared/kinds/names.ts';
import {
  groupResource,
  type ObjectMeta,
  qualifiedName,
  type ResourceType,
  titleOf,
} from '../../shared/kubernetes.ts';
import { pausedValue, type RolloutPause } from '../../shared/plan/rollout-pause.ts';
import { definitionType } from '../../shared/reconcile/rollout-pause.ts';
import type { Run } from '../../shared/reconcile/run.ts';
import { annotate } from '../cli/annotate.ts';
import { CommandError } from '../cli/base/errors.ts';
import type { Operator } from '../cli/base/session.ts';
import { some } from '../cli/doctor/check.ts';
import { counted } from '../cli/output/print.ts';
import { type KindRollout, readRollout } from './rollout-state.ts';

/** An annotation to write, and what that does. */
export interface RolloutChange {
  readonly text: string;
  readonly annotation: string;
  /** Undefined removes the annotation. */
  readonly value: string | undefined;
  readonly object: {
    readonly type: ResourceType;
    readonly namespace?: string | undefined;
    readonly name: string;
    readonly live: ObjectMeta;
  };
}

export type Decide = (
  rollout: KindRollout,
  pause: RolloutPause,
) => Pick<RolloutChange, 'text' | 'value'>;

/** How a kind's rollout is, and what pausing or resuming it writes to the definition of the kind. */
export async function changeOfKind(
  run: Run,
  kind: Kind,
  { config, decide }: Pick<Operator, 'config'> & { readonly decide: Decide },
): Promise<{ readonly rollout: KindRollout; readonly change: RolloutChange }> {
  const name = groupResource(kind);
  // Before the rest, so that the write is refused if anyone else changes it meanwhile.
  const live = await run.cluster.getMetadata(definitionType, { name });
  if (live === undefined) throw new CommandError(`the definition ${name} is not installed`);
  const { rollout, pause } = await readRollout(run, kind, { config });
  const object = { type: definitionType, name, live };
  return {
    rollout,
    change: { ...decide(rollout, pause), annotation: rolloutAnnotation, object },
  };
}

export const pausing: Decide = ({ kind, underWay, waiting }, { paused }) => ({
  value: pausedValue,
  text: paused
    ? `${kind} is paused already`
    : `pausing ${kind}: of its resources ${underWay} under way go on, ${waiting} wait until it is resumed`,
});

/** Failures are known by the time at which a run has marked them, which is the server's. */
export const resuming: Decide = ({ kind, state, members, waiting }, { paused, resumedAt }) => {
  const isHalted = state === 'halted';
  if (isHalted && members.some((one) => one.state === 'late'))
    throw new CommandError(
      `${kind}: no run has noticed yet that a resource is not Ready in time, so it would halt again: resume it after the next tick`,
    );
  if (!paused && !isHalted)
    return { text: `${kind} is neither paused nor halted`, value: resumedAt || undefined };
  const failed = members.filter((one) => one.state === 'failed' || one.state === 'forgiven');
  const names = failed.map(({ namespace, name }) => qualifiedName(namespace, name));
  const without = names.length === 0 ? '' : `; no longer counted as failed: ${some(names)}`;
  return {
    text: `resuming ${kind}: ${counted(waiting, 'resource')} in line for their turn${without}`,
    value: failed
      .map(({ since }) => since)
      .toSorted()
      .at(-1),
  };
};

/** Rolls out to one resource before the others of its kind. */
export const goingFirst = (
  kind: Kind,
  { namespace, name }: { readonly namespace?: string | undefined; readonly name: string },
  live: ObjectMeta,
): RolloutChange => ({
  text: `${titleOf({ kind: kind.kind, namespace, name })} comes first in each rollout, until the annotation is removed`,
  ...{ annotation: rolloutFirstAnnotation, value: 'true' },
  object: { type: kind, namespace, name, live },
});

/** Nothing is sent where it is so already. */
export const writeChange = (
  { cluster }: Pick<Run, 'cluster'>,
  { object, annotation: name, value }: RolloutChange,
  manager: string,
): Promise<void> => annotate(cluster, object, { name, value, manager });
