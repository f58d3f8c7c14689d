import { type Engine, engineUser } from './engine.ts';

/** Counts the engine's requests by verb and resource: `list websites` → 2. */
export function requestCounts({ cluster }: Engine): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { user, verb, resource, subresource, status } of cluster.requests.list()) {
    if (user !== engineUser) continue;
    const refused = status >= 400 ? ` ${status}` : '';
    const key = `${verb} ${resource}${subresource === '' ? '' : `/${subresource}`}${refused}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return counts;
}
