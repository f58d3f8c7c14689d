import { present } from '../../json.ts';
import { keyOf, type ObjectRef } from '../../kubernetes.ts';
import {
  completionOf,
  type LastApplied,
  maxCompleted,
  maxFieldsOfRepairs,
  maxRepairs,
  type Repair,
  recordIn,
} from '../observed/applied.ts';
import type { ObservedResource } from '../observed/observed-resource.ts';
import type { ResourceStatus } from '../observed/recorded-status.ts';
import type { Finding } from './finding.ts';
import { outermost } from './kubernetes-events.ts';

export function recordOfRun(
  { uid, status }: Pick<ObservedResource, 'uid' | 'status'>,
  children: readonly ObjectRef[],
  finding: Finding & { readonly now: string },
): LastApplied | undefined {
  const { applied, inputs, compared, now } = finding;
  const keys = children.map(keyOf);
  const records = keys.map((key) => applied[key] ?? '');
  const repairs = repairsOf(status, keys, finding);
  const completed = completedOf(status, keys, finding);
  const before = status.lastApplied;
  const { reads, until } = inputs ?? before ?? {};
  if (![...records, ...completed, ...repairs, until].some(Boolean)) return undefined;
  return {
    children: records,
    ...present({ reads, until }),
    comparedAt: compared ? now : (before?.comparedAt ?? spreadOver(uid, now)),
    ...(completed.length > 0 ? { completed } : {}),
    ...(repairs.length > 0 ? { repairs } : {}),
  };
}

/**
 * Returns the completions to remember: of children that have left `status.children`, and of children whose fields have
 * changed. They keep a step with `once` from running again. The list has a limit, so desired steps come first.
 */
function completedOf(
  { children: before = [], lastApplied }: ResourceStatus,
  keys: readonly string[],
  { applied, completions = new Map() }: Finding,
): readonly string[] {
  const recorded = new Set(keys);
  const left = before.flatMap((ref, at) => {
    const key = keyOf(ref);
    const isRecorded = recorded.has(key);
    const record = recordIn(isRecorded ? lastApplied?.children[at] : applied[key]);
    if (record?.complete !== true) return [];
    const now = recordIn(applied[key]);
    const isOver = !isRecorded || now?.past === true || record.desired !== now?.desired;
    return isOver ? [completionOf(key, record.desired)] : [];
  });
  const earlier = lastApplied?.completed ?? [];
  const desired = earlier.filter((one) => completions.has(one));
  return [...new Set([...desired, ...left, ...earlier])].slice(0, maxCompleted);
}

/** Returns the repairs of this run, then earlier repairs that may still be part of a fight. */
function repairsOf(
  { children = [], lastApplied }: ResourceStatus,
  keys: readonly string[],
  { repairs = new Map(), desired, now }: Finding & { readonly now: string },
): readonly Repair[] {
  const made = keys.flatMap((key, child): readonly Repair[] => {
    if (!repairs.has(key)) return [];
    const written = desired.find((one) => keyOf(one) === key)?.ours?.time;
    return [{ child, at: now, ...present({ written, fields: repairs.get(key) }) }];
  });
  const before = children.map(keyOf);
  const recent = (lastApplied?.repairs ?? [])
    .filter(({ at }) => Date.parse(now) - Date.parse(at) < keptMs)
    .map((one) => ({ ...one, child: keys.indexOf(before[one.child] ?? '') }))
    .filter(({ child }) => child !== -1);
  const all = [...made, ...recent].slice(0, maxRepairs);
  const count = all.reduce((sum, { fields = [] }) => sum + fields.length, 0);
  if (count <= maxFieldsOfRepairs) return all;
  return all.map((one) => (one.fields ? { ...one, fields: outermost(one.fields) } : one));
}

/** Keeps repairs twice as long as a fight detector needs them, because clocks differ. */
const keptMs = 60_000;

/** Returns a time in the last 23 hours that depends on the uid, so that first comparisons are spread over the day. */
function spreadOver(uid: string, now: string): string {
  const part = (Number.parseInt(uid.slice(0, 8), 16) || 0) / 2 ** 32;
  return `${new Date(Date.parse(now) - part * compareEveryMs).toISOString().slice(0, 19)}Z`;
}

const compareEveryMs = 23 * 3_600_000;

/** Returns true if the last comparison was more than 23 hours ago, or its time is in the future or cannot be parsed. */
export function isComparisonDue({ status }: ObservedResource, now: Date): boolean {
  const at = status.lastApplied?.comparedAt;
  const age = at === undefined ? 0 : now.getTime() - Date.parse(at);
  return !(age >= 0 && age <= compareEveryMs);
}
