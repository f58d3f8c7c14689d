import type { JsonObject } from '../api-server/json/value.ts';

export interface WantedCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/**
 * Returns the former condition if only times differ; otherwise the new condition, whose transition time changes with
 * its status.
 */
export function condition(
  before: readonly JsonObject[],
  wanted: WantedCondition,
  { now, updateTime = false }: { readonly now: string; readonly updateTime?: boolean },
): JsonObject {
  const old = before.find(({ type }) => type === wanted.type);
  if (
    old &&
    old.status === wanted.status &&
    old.reason === wanted.reason &&
    old.message === wanted.message
  ) {
    return old;
  }
  const transition = old?.status === wanted.status ? old.lastTransitionTime : now;
  const { type, status, reason, message } = wanted;
  return {
    type,
    status,
    ...(updateTime ? { lastUpdateTime: now } : {}),
    lastTransitionTime: transition,
    reason,
    message,
  };
}
