import type { HistoryItem, ResourceView, RunTimeline } from '../../views.ts';
import { qualifiedNameOf } from './states.ts';

/** Adds runs, newest first. Omits runs that are known only from an Event, because the history already contains it. */
export function withRuns(
  history: readonly HistoryItem[],
  resource: ResourceView,
  timeline: RunTimeline | undefined,
): readonly HistoryItem[] {
  const names = [resource.resource, resource.kind].map(
    (type) => `${type} ${qualifiedNameOf(resource)}`,
  );
  const runs = (timeline?.runs ?? []).flatMap(({ at, trigger, changes }): HistoryItem[] => {
    const own = changes.filter(({ of }) => names.includes(of));
    if (trigger === 'Event' || own.length === 0) return [];
    const text = own.map((one) => one.text).join('; ');
    return [{ at: new Date(at).toISOString(), source: 'run', title: trigger, text, isBad: false }];
  });
  return [...history, ...runs].toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at));
}
