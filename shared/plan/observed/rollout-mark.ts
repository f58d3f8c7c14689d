import { textAt, valueAt } from '../../json.ts';
import { rolloutCondition } from '../../kinds/condition-types.ts';

/**
 * The progress of a resource in a rollout, shown as the reason of its condition `RolloutPending`:
 * - `Waiting`: not chosen yet;
 * - `Starting`: chosen, until the run has listed all resources again;
 * - `RollingOut`: being changed, and perhaps unavailable;
 * - `RolloutHalted`: failed;
 * - `RolledOut`: done (the condition is False).
 */
const markReasons = ['Waiting', 'Starting', 'RollingOut', 'RolloutHalted', 'RolledOut'] as const;
export type MarkReason = (typeof markReasons)[number];

export interface Mark {
  readonly reason: MarkReason;
  /** When the mark was set, by the API server's clock if managedFields show it. */
  readonly since: string;
  /** When the resource began to wait; with `RolledOut`, when it was done. */
  readonly waitingSince: string;
  /** Digest of the desired children, set before a run begins to write them: `status.rolloutTarget`. */
  readonly target: string | undefined;
}

interface FoundMark {
  readonly at: number;
  /** The progress; undefined if it is malformed, or if another manager owns a part of it. */
  readonly mark: Mark | undefined;
}

/** Reports whether the mark shows all runs that the resource is being changed, so that this run may change it. */
export const isUnderWay = (mark: Mark | undefined): boolean =>
  mark?.reason === 'RollingOut' || mark?.reason === 'RolloutHalted';

/** Reads the rollout condition of a live status of any shape. `entry`: our entry for it in managedFields. */
export function readMark(status: unknown, entry: unknown): FoundMark | undefined {
  const conditions = (status as { readonly conditions?: unknown } | null | undefined)?.conditions;
  if (!Array.isArray(conditions)) return undefined;
  const at = conditions.findIndex((one) => textAt(one, 'type') === rolloutCondition);
  if (at === -1) return undefined;
  const reason = markReasons.find((one) => one === textAt(conditions[at], 'reason'));
  const waitingSince = textAt(conditions[at], 'lastTransitionTime');
  const isTime = waitingSince !== undefined && !Number.isNaN(Date.parse(waitingSince));
  if (reason === undefined || !isTime || !holdsMark(entry)) return { at, mark: undefined };
  const holdsTarget = valueAt(entry, 'fieldsV1', 'f:status', `f:${targetField}`) !== undefined;
  const target = holdsTarget ? textAt(status, targetField) : undefined;
  const since = textAt(entry, 'time') ?? waitingSince;
  return { at, mark: { reason, since, waitingSince, target } };
}

export const targetField = 'rolloutTarget';

/** Reports whether our entry owns the whole condition; any other writer takes over what it changes. */
const holdsMark = (entry: unknown): boolean =>
  heldFields.every((field) => valueAt(entry, ...pathOfMark, `f:${field}`) !== undefined);

const pathOfMark = [
  'fieldsV1',
  'f:status',
  'f:conditions',
  `k:{"type":"${rolloutCondition}"}`,
] as const;
const heldFields = ['status', 'reason', 'message', 'lastTransitionTime'] as const;
