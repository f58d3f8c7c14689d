import type { ObjectMeta } from '../../../shared/kubernetes.ts';
import type { Condition } from '../../../shared/plan/observed/conditions.ts';
import type { Mark, MarkReason } from '../../../shared/plan/observed/rollout-mark.ts';
import { markMessages } from '../../../shared/rollout/marks.ts';
import type { EventView, HistoryItem } from '../views.ts';
import { newestFirst } from './events.ts';

interface HistorySources {
  /** `Website shop` */
  readonly title: string;
  readonly meta: ObjectMeta | undefined;
  readonly conditions: readonly Condition[];
  readonly events: readonly EventView[];
  readonly rollout: Mark | undefined;
  readonly children: readonly {
    /** `Deployment shop` */
    readonly title: string;
    readonly meta: ObjectMeta;
    readonly health: string;
  }[];
}

const maxEntries = 100;

/** Newest first. */
export function historyOf({
  title,
  meta,
  conditions,
  events,
  rollout,
  children,
}: HistorySources): readonly HistoryItem[] {
  const found = [
    ...events.map(entryOfEvent),
    ...transitionsIn(conditions),
    ...(rollout === undefined ? [] : phasesIn(rollout)),
    ...(meta === undefined ? [] : changesIn(title, meta)),
    ...children.flatMap((one) => [...changesIn(one.title, one.meta), ...reportIn(one)]),
  ];
  return newestFirst(found, ({ at }) => at).slice(0, maxEntries);
}

const entryOfEvent = ({ at, type, reason, message, count }: EventView): HistoryItem => ({
  at,
  source: 'Event',
  title: reason,
  text: count > 1 ? `${message} (${count} times)` : message,
  isBad: type === 'Warning',
});

/** Merges conditions with the same time, reason and message, such as Ready and Stalled, into one entry. */
function transitionsIn(conditions: readonly Condition[]): readonly HistoryItem[] {
  const same = Map.groupBy(conditions, ({ lastTransitionTime, reason, message }) =>
    JSON.stringify([lastTransitionTime, reason, message]),
  );
  return [...same.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : transitionOf(first, others),
  );
}

function transitionOf(first: Condition, others: readonly Condition[]): HistoryItem {
  const { reason, message, lastTransitionTime: at } = first;
  const all = [first, ...others];
  return {
    at,
    source: 'condition',
    title: all.map((one) => `${one.type} became ${one.status}`).join(', '),
    text: [reason, message].filter(Boolean).join(': '),
    isBad: all.some((one) => one.type === 'Ready' && one.status === 'False'),
  };
}

/** Returns the start of the wait and, after the wait, the current phase. If the resource is done, only RolledOut. */
function phasesIn({ reason, since, statusSince }: Mark): readonly HistoryItem[] {
  const phase = (at: string, title: MarkReason): HistoryItem => ({
    at,
    source: 'rollout',
    title,
    text: markMessages[title],
    isBad: title === 'RolloutHalted',
  });
  if (reason === 'RolledOut') return [phase(statusSince, reason)];
  const waited = phase(statusSince, 'Waiting');
  return reason === 'Waiting' ? [waited] : [phase(since, reason), waited];
}

/** Returns the creation and each writer's last change. Omits changes to the status. */
function changesIn(of: string, meta: ObjectMeta): readonly HistoryItem[] {
  const { creationTimestamp, managedFields = [] } = meta;
  const writes = managedFields.flatMap(({ manager = 'unknown', time, subresource }) =>
    time === undefined || subresource === 'status' ? [] : { manager, time },
  );
  const creator = writes.find(({ time }) => time === creationTimestamp);
  const later = writes.filter(({ time }) => time !== creationTimestamp);
  const created = creator === undefined ? '' : `by ${creator.manager}`;
  return [
    { ...change, of, at: creationTimestamp, title: 'created', text: created },
    ...later.map(({ manager, time: at }) => ({
      ...change,
      of,
      at,
      title: 'changed',
      text: `by ${manager}`,
    })),
  ];
}

/** The last write of a child's status, such as the end of a Job. */
function reportIn({
  title: of,
  meta,
  health,
}: HistorySources['children'][number]): readonly HistoryItem[] {
  const times = (meta.managedFields ?? []).flatMap(({ time, subresource }) =>
    time !== undefined && subresource === 'status' ? time : [],
  );
  const [at] = newestFirst(times, (time) => time);
  return at === undefined ? [] : [{ ...change, of, at, title: 'reported', text: health }];
}

const change = { source: 'change', isBad: false } as const;
