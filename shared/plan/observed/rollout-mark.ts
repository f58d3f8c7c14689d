import { textAt, valueAt } from '../../json.ts';
import { rolloutCondition } from '../../kinds/condition-types.ts';

/**
 * Reasons of the condition `RolloutPending`, which show the progress of a resource in a rollout:
 * - `Waiting`: not chosen yet;
 * - `Starting`: chosen by a run that has yet to list all resources again;
 * - `RollingOut`: being changed, and perhaps unavailable;
 * - `RolloutHalted`: failed;
 * - `RolledOut`: done (the condition is False).
 */
const markReasons = ['Waiting', 'Starting', 'RollingOut', 'RolloutHalted', 'RolledOut'] as const;
export type MarkReason = (typeof markReasons)[number];

export interface Mark {
  readonly reason: MarkReason;
  /** When the condition got its reason, by the API server's clock if managedFields show it. */
  readonly since: string;
  /** When the condition's status was set: for `RolledOut`, when the resource was done; else, when its wait began. */
  readonly statusSince: string;
  /** Digest of the desired children (`status.rolloutTarget`), set before a run begins to write them. */
  readonly target: string | undefined;
}

/** Reports whether a rollout is changing the resource, or failed to. */
export const isUnderWay = (mark: Mark | undefined): boolean =>
  mark?.reason === 'RollingOut' || mark?.reason === 'RolloutHalted';

/** The mark is undefined if the condition is malformed, or if our managedFields `entry` does not own all of it. */
export function readMark(
  status: unknown,
  entry: unknown,
): { readonly at: number; readonly mark: Mark | undefined } | undefined {
  const conditions = valueAt(status, 'conditions');
  if (!Array.isArray(conditions)) return undefined;
  const at = conditions.findIndex((one) => textAt(one, 'type') === rolloutCondition);
  if (at === -1) return undefined;
  const reason = markReasons.find((one) => one === textAt(conditions[at], 'reason'));
  const statusSince = textAt(conditions[at], 'lastTransitionTime');
  const hasDate = statusSince !== undefined && !Number.isNaN(Date.parse(statusSince));
  const owned = valueAt(entry, 'fieldsV1', 'f:status');
  if (reason === undefined || !hasDate || !ownsMark(owned)) return { at, mark: undefined };
  const isOurs = valueAt(owned, `f:${targetField}`) !== undefined;
  const target = isOurs ? textAt(status, targetField) : undefined;
  const since = textAt(entry, 'time') ?? statusSince;
  return { at, mark: { reason, since, statusSince, target } };
}

export const targetField = 'rolloutTarget';

const conditionKey = `k:{"type":"${rolloutCondition}"}`;

const ownsMark = (owned: unknown): boolean =>
  ['status', 'reason', 'message', 'lastTransitionTime'].every(
    (field) => valueAt(owned, 'f:conditions', conditionKey, `f:${field}`) !== undefined,
  );
