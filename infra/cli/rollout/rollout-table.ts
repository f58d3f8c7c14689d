import { titleOf } from '../../../shared/kubernetes.ts';
import type { RolloutMember } from '../../actions/rollout-progress.ts';
import type { KindRollout } from '../../actions/rollout-state.ts';
import { counted } from '../../actions/wording.ts';
import type { Interval } from '../base/interval.ts';
import { ageText, durationOf } from '../output/age.ts';
import { paint, type Row, section, type Text, table } from '../output/print.ts';

type Shown = KindRollout & { readonly secondsLeft?: number };

export function rolloutTable(
  rollouts: readonly Shown[],
  interval: Interval,
  now: Date,
): readonly Text[] {
  const members = rollouts.flatMap(({ kind, members }) =>
    members.map((one) => memberRow(kind, one, now)),
  );
  const notes = [...rollouts.flatMap(notesOf), ...estimate(rollouts, interval)];
  return [
    ...table(head, rollouts.map(kindRow)),
    ...section([''], table(['RESOURCE', 'STATE', 'SINCE', 'MESSAGE'], members)),
    ...section([''], notes),
  ];
}

const head = ['KIND', 'STATE', 'DONE', 'UNDER WAY', 'FAILED', 'WAITING', 'BUDGET', 'LEFT'];

const stateLabels = {
  none: ['none', 'green'],
  underWay: ['under way', 'yellow'],
  paused: ['paused', 'yellow'],
  halted: ['halted', 'red'],
} as const;

function kindRow(one: Shown): Row {
  const [text, colour] = stateLabels[one.state];
  const { done, underWay, failed, waiting, slots, resources, secondsLeft } = one;
  const budget = Math.min(one.budget, resources);
  const limit = slots < budget ? `${slots}, then ${budget}` : `${budget}`;
  return [
    paint('bold', one.kind),
    paint(colour, text),
    ...[done, underWay, failed, waiting].map(String),
    `${limit} of ${resources}`,
    secondsLeft === undefined ? 'unknown' : secondsLeft === 0 ? '' : durationOf(secondsLeft),
  ];
}

const memberLabels = {
  chosen: ['chosen', 'yellow'],
  underWay: ['under way', 'yellow'],
  late: ['not Ready in time', 'red'],
  failed: ['failed', 'red'],
  forgiven: ['failed, not counted', 'yellow'],
} as const;

function memberRow(
  kind: string,
  { namespace, name, state, since, message = '' }: RolloutMember & { readonly message?: string },
  now: Date,
): Row {
  const [text, colour] = memberLabels[state];
  return [titleOf({ kind, namespace, name }), paint(colour, text), ageText(since, now), message];
}

function notesOf({ kind, state, unable }: Shown): readonly string[] {
  const stops = {
    halted: `The rollout of ${kind} is halted: deploy a version that repairs the failed resources, or the previous version. To continue without these resources: rollout resume ${kind}`,
    paused: `The rollout of ${kind} is paused. To continue: rollout resume ${kind}`,
    underWay: [],
    none: [],
  };
  const skipped = `${kind}: ${counted(unable, 'waiting resource')} skipped, because suspended or not Ready. A resource unready for ROLLOUT_TIMEOUT_SECONDS may be changed without a slot.`;
  return [stops[state], unable === 0 ? [] : skipped].flat();
}

function estimate(rollouts: readonly Shown[], { text, from }: Interval): readonly string[] {
  if (!rollouts.some(({ secondsLeft = 0 }) => secondsLeft > 0)) return [];
  const source = from === undefined ? '' : ` (${from})`;
  return [
    `The column LEFT assumes a resync every ${text}${source}. If changed resources take longer than SETTLE_SECONDS to become Ready, the rollout takes twice as long.`,
  ];
}
