import { textAt } from '../../json.ts';
import { rolloutCondition } from '../../kinds/condition-types.ts';
import type { ManagedFieldsEntry } from '../../kubernetes.ts';

/**
 * How far a resource is in a rollout, as its condition `RolloutPending` shows: it waits; it is chosen, which
 * holds once all are read again; it is changed, and may be unavailable; it failed; it is done (the condition is False).
 */
const markReasons = ['Waiting', 'Starting', 'RollingOut', 'RolloutHalted', 'RolledOut'] as const;
export type MarkReason = (typeof markReasons)[number];

export interface Mark {
  readonly reason: MarkReason;
  /** When it was set, by the server's clock if managedFields show it. */
  readonly since: string;
  /** When the resource began to wait. */
  readonly waitingSince: string;
  /** A digest of what its children are changed to, once a run is about to write that. */
  readonly target: string | undefined;
  /** Its position in `status.conditions` of the version that was read. */
  readonly at: number;
}

/** Whether the resource may be changed: every other run sees that it is. */
export const isUnderWay = (mark: Mark | undefined): boolean =>
  mark?.reason === 'RollingOut' || mark?.reason === 'RolloutHalted';

/** The mark in a live status, whatever that is; undefined without a well-formed one. */
export function readMark(
  status: unknown,
  managers: readonly string[],
  entries: unknown,
): Mark | undefined {
  const conditions = (status as { readonly conditions?: unknown } | null | undefined)?.conditions;
  if (!Array.isArray(conditions)) return undefined;
  const at = conditions.findIndex((one) => textAt(one, 'type') === rolloutCondition);
  const reason = markReasons.find((one) => one === textAt(conditions[at], 'reason'));
  const waitingSince = textAt(conditions[at], 'lastTransitionTime');
  if (reason === undefined || waitingSince === undefined || Number.isNaN(Date.parse(waitingSince)))
    return undefined;
  const target = ending.exec(textAt(conditions[at], 'message') ?? '')?.[1];
  return { reason, since: timeOf(managers, entries) ?? waitingSince, waitingSince, target, at };
}

/** The message of a mark with a target. */
export const withTarget = (message: string, target: string): string => `${message} (${target})`;
const ending = / \(([\w-]{12})\)$/;

function timeOf(managers: readonly string[], entries: unknown): string | undefined {
  const all = Array.isArray(entries) ? (entries as readonly Partial<ManagedFieldsEntry>[]) : [];
  return all.find((one) => managers.includes(textAt(one, 'manager') ?? ''))?.time;
}
