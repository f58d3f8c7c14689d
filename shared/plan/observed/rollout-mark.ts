import { textAt } from '../../json.ts';
import { rolloutCondition } from '../../kinds/condition-types.ts';
import type { ManagedFieldsEntry } from '../../kubernetes.ts';

/**
 * Progress of a resource in a rollout, shown as the reason of its condition `RolloutPending`: waiting;
 * chosen, but not confirmed before all resources are read again; being changed, and perhaps unavailable;
 * failed; done (the condition is False).
 */
const markReasons = ['Waiting', 'Starting', 'RollingOut', 'RolloutHalted', 'RolledOut'] as const;
export type MarkReason = (typeof markReasons)[number];

export interface Mark {
  readonly reason: MarkReason;
  /** When the mark was set, by the server's clock if managedFields show it. */
  readonly since: string;
  /** When the resource began to wait. */
  readonly waitingSince: string;
  /** Digest of the wanted children, set before a run begins to write them. */
  readonly target: string | undefined;
  /** Index in `status.conditions` of the version that was read. */
  readonly at: number;
}

/** Reports whether the resource may be changed: its mark shows that to every other run. */
export const isUnderWay = (mark: Mark | undefined): boolean =>
  mark?.reason === 'RollingOut' || mark?.reason === 'RolloutHalted';

/** Reads the mark from a live status of any shape; undefined without a well-formed one. */
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

/** Appends the target to the message of a mark. */
export const withTarget = (message: string, target: string): string => `${message} (${target})`;
const ending = / \(([\w-]{12})\)$/;

function timeOf(managers: readonly string[], entries: unknown): string | undefined {
  const all = Array.isArray(entries) ? (entries as readonly Partial<ManagedFieldsEntry>[]) : [];
  return all.find((one) => managers.includes(textAt(one, 'manager') ?? ''))?.time;
}
