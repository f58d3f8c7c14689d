import { type KubeObject, qualifiedName } from '../../../shared/kubernetes.ts';
import type { EventView } from '../views.ts';

/** Falls back to `eventTime`, because an Event posted to the API events.k8s.io has no `lastTimestamp`. */
export function eventViewOf(live: KubeObject): EventView {
  const { lastTimestamp, eventTime, type, reason, message, count, involvedObject } =
    live as KubeObject & {
      readonly involvedObject?: { kind?: string; namespace?: string; name?: string };
    } & Readonly<Record<string, unknown>>;
  const { kind = '', namespace, name = '' } = involvedObject ?? {};
  return {
    at: String(lastTimestamp ?? eventTime ?? live.metadata.creationTimestamp),
    type: String(type),
    reason: String(reason),
    message: String(message),
    count: typeof count === 'number' ? count : 1,
    of: `${kind} ${qualifiedName(namespace, name)}`,
  };
}

export const newestFirst = <T>(all: readonly T[], time: (one: T) => string): readonly T[] =>
  all.toSorted((a, b) => Date.parse(time(b)) - Date.parse(time(a)) || 0);
