import { isFields, listAt, textAt, valueAt } from '../json.ts';
import type { KubeObject } from '../kubernetes.ts';

/** The state of a live object by the rules of kstatus, such as Current or InProgress. */
export type Readiness =
  | { readonly state: 'Current' }
  | { readonly state: 'InProgress'; readonly message: string }
  | { readonly state: 'Failed'; readonly reason: string; readonly message: string };

export const current: Readiness = { state: 'Current' };

export const inProgress = (message: string): Readiness => ({ state: 'InProgress', message });

export const failed = (reason: string, message: string): Readiness => ({
  state: 'Failed',
  reason,
  message,
});

export function numberAt(live: KubeObject, path: string, fallback = 0): number {
  const value = valueAt(live, ...path.split('.'));
  return typeof value === 'number' ? value : fallback;
}

/** InProgress until the controller has observed the latest generation. */
export const onceObserved =
  (judge: (live: KubeObject) => Readiness) =>
  (live: KubeObject): Readiness =>
    numberAt(live, 'status.observedGeneration') < numberAt(live, 'metadata.generation')
      ? inProgress(`the ${live.kind} controller has not observed the latest change yet`)
      : judge(live);

type LiveCondition = NonNullable<ReturnType<typeof conditionOf>>;

export function conditionOf(live: KubeObject, type: string) {
  const conditions = listAt(live.status, 'conditions');
  const condition = conditions.find((one) => textAt(one, 'type') === type);
  if (!isFields(condition)) return;
  const generation = numberAt(live, 'metadata.generation');
  const { status, observedGeneration } = condition;
  return {
    isTrue: status === 'True',
    reason: textAt(condition, 'reason'),
    message: textAt(condition, 'message'),
    isCurrent: observedGeneration === generation,
    isOutdated: typeof observedGeneration === 'number' && observedGeneration < generation,
  };
}

/**
 * Follows kstatus: `observedGeneration`, then the conditions Reconciling, Stalled and Ready.
 *
 * Caveats: as in kstatus, a resource without status is Current, even before its controller has seen it. Unlike in
 * kstatus, a Reconciling or Stalled of the latest generation proves that the controller has observed it, and a resource
 * is InProgress while one of these conditions is for an older generation.
 */
export const customResourceReadiness = (live: KubeObject): Readiness =>
  readinessBy(live, numberAt(live, 'metadata.generation'));

/** The readiness of our kinds: InProgress until a run has set `observedGeneration`. */
export const kindReadiness = (live: KubeObject): Readiness => readinessBy(live, -1);

function readinessBy(live: KubeObject, unobserved: number): Readiness {
  const generation = numberAt(live, 'metadata.generation');
  const reconciling = conditionOf(live, 'Reconciling');
  const stalled = conditionOf(live, 'Stalled');
  const ready = conditionOf(live, 'Ready');
  const isObserved =
    [reconciling, stalled].some((one) => one?.isTrue && one.isCurrent) ||
    numberAt(live, 'status.observedGeneration', unobserved) >= generation;
  if (!isObserved || [reconciling, stalled, ready].some((one) => one?.isOutdated))
    return inProgress('its controller has not observed the latest change yet');
  if (reconciling?.isTrue) return inProgress(whyIn(reconciling, 'Reconciling'));
  if (stalled?.isTrue) return failed(stalled.reason ?? 'Stalled', whyIn(stalled, 'Stalled'));
  return ready === undefined || ready.isTrue ? current : inProgress(whyIn(ready, 'not Ready'));
}

const whyIn = ({ message, reason }: LiveCondition, fallback: string): string =>
  message ?? reason ?? fallback;
