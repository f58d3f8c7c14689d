import { textAt, valueAt } from '../../json.ts';
import { rolloutCondition } from '../../kinds/condition-types.ts';

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
  /** When the resource began to wait or, with `RolledOut`, when it was done. */
  readonly waitingSince: string;
  /** Digest of the wanted children, set before a run begins to write them: `status.rolloutTarget`. */
  readonly target: string | undefined;
}

/** The condition of a live status, whoever wrote it. */
interface FoundMark {
  /** Index in `status.conditions` of the version that was read. */
  readonly at: number;
  /** Undefined if it is malformed, or another manager holds a part of it. */
  readonly mark: Mark | undefined;
}

/** Reports whether the resource may be changed: its mark shows that to every other run. */
export const isUnderWay = (mark: Mark | undefined): boolean =>
  mark?.reason === 'RollingOut' || mark?.reason === 'RolloutHalted';

/** Reads the mark from a live status of any shape; undefined without the condition. */
export function readMark(
  status: unknown,
  managers: readonly string[],
  entries: unknown,
): FoundMark | undefined {
  const conditions = (status as { readonly conditions?: unknown } | null | undefined)?.conditions;
  if (!Array.isArray(conditions)) return undefined;
  const at = conditions.findIndex((one) => textAt(one, 'type') === rolloutCondition);
  if (at === -1) return undefined;
  const reason = markReasons.find((one) => one === textAt(conditions[at], 'reason'));
  const waitingSince = textAt(conditions[at], 'lastTransitionTime');
  const entry = holderOf(managers, entries);
  const isTime = waitingSince !== undefined && !Number.isNaN(Date.parse(waitingSince));
  if (reason === undefined || !isTime || entry === undefined) return { at, mark: undefined };
  const holdsTarget = valueAt(entry, 'fieldsV1', 'f:status', `f:${targetField}`) !== undefined;
  const target = holdsTarget ? textAt(status, targetField) : undefined;
  const since = textAt(entry, 'time') ?? waitingSince;
  return { at, mark: { reason, since, waitingSince, target } };
}

/** The field of the status with the target of a mark. */
export const targetField = 'rolloutTarget';

/** Our entry in managedFields that holds the whole condition. A writer that changes a field takes it over. */
const holderOf = (managers: readonly string[], entries: unknown): unknown =>
  (Array.isArray(entries) ? (entries as readonly unknown[]) : []).find(
    (one) =>
      managers.includes(textAt(one, 'manager') ?? '') &&
      textAt(one, 'operation') === 'Apply' &&
      textAt(one, 'subresource') === 'status' &&
      heldFields.every((field) => valueAt(one, ...pathOfMark, `f:${field}`) !== undefined),
  );

const pathOfMark = [
  'fieldsV1',
  'f:status',
  'f:conditions',
  `k:{"type":"${rolloutCondition}"}`,
] as const;
const heldFields = ['status', 'reason', 'message', 'lastTransitionTime'] as const;
