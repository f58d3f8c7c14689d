import { titleOf } from '../../../shared/kubernetes.ts';
import { changeText } from '../../../shared/plan/status/kubernetes-events.ts';
import { impactText } from '../../actions/impact-text.ts';
import { shortened } from '../../actions/wording.ts';
import type { HistoryEntry } from '../../recordings/history/history-entry.ts';
import { type Text, table } from '../output/print.ts';
import { changeOf } from '../plan/plan-table.ts';

export const triggers = {
  resync: 'resync',
  request: 'request',
  audit: 'audit events',
} as const;

export const historyTable = (entries: readonly HistoryEntry[]): readonly Text[] =>
  table(
    ['TIME', 'WHO', 'ACTION', 'OBJECT', 'CHANGE'],
    entries.map((one) => [
      `${one.isLatest ? '≤' : ''}${secondsOf(one.time)}`,
      whoOf(one),
      one.verb,
      titleOf(one.object),
      linesOf(one).join('\n'),
    ]),
  );

/** Formats a time in UTC and whole seconds, like the times in managedFields. */
export const secondsOf = (time: string): string => `${new Date(time).toISOString().slice(0, 19)}Z`;

const whoOf = ({ who, version, trigger }: HistoryEntry): string =>
  [version === undefined ? who : `${who} ${version}`, ...(trigger ? [triggers[trigger]] : [])].join(
    ', ',
  );

function linesOf({ action, differences, fields, why, result, error }: HistoryEntry) {
  const effect = impactText(action?.impact);
  const isReason = action?.reason !== undefined;
  return [
    ...(action === undefined ? [] : changeOf(action).slice(isReason ? 1 : 0)),
    ...(differences ?? []).map(changeText),
    ...(fields === undefined ? [] : [`holds ${shortened(fields, 3).join('; ')}`]),
    ...(why === undefined
      ? []
      : [action === undefined ? why : `→ ${[why, effect].filter(Boolean).join('; ')}`]),
    ...(result === 'not sent' ? ['not sent'] : []),
    ...(error === undefined ? [] : [`failed: ${error}`]),
  ];
}
