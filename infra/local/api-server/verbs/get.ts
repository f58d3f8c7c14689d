import { futureVersion, notFound } from '../errors/api-errors.ts';
import { assertNoExport, parseRevision } from '../requests/query.ts';
import type { ServerState } from '../resources/server-state.ts';
import { subjectOf } from '../resources/target.ts';
import type { Call, Outcome } from './call.ts';

/** Reads one object; a GET of its status returns the whole object, too. */
export function get({ store }: ServerState, { target, query }: Call): Outcome {
  assertNoExport(query);
  const requested = parseRevision(query.get('resourceVersion') || '0');
  if (requested > store.revision()) throw futureVersion(requested, store.revision());
  const { served, namespace, name } = target;
  const stored = store.get(served.resource.collection, namespace, name);
  if (stored === undefined) throw notFound(subjectOf(target));
  return { kind: 'object', code: 200, stored, served };
}
