import type { ServerState } from '../resources/server-state.ts';
import { deleteObject } from '../writes/delete-object.ts';
import type { Call, Outcome } from './call.ts';
import { deleteOptionsOf } from './delete-options.ts';
import { list } from './list.ts';

/** DELETE of a collection: deletes each selected object by itself; answers the list of these objects. */
export function deleteCollection(server: ServerState, call: Call): Outcome {
  const { options, dryRun } = deleteOptionsOf(call);
  const selected = list(server, { ...call, query: pagedQuery(call.query) });
  for (const { namespace, name } of [...selected.entries]) {
    const target = { ...call.target, namespace, name };
    deleteObject(server, options, { target, writer: { dryRun } });
  }
  return selected;
}

/**
 * The real server lists page by page, and each page is of exactly one version: if that is compacted, the
 * answer is a 410. This limit is never reached.
 */
function pagedQuery(query: URLSearchParams): URLSearchParams {
  if (!/^[+-]?0+$/.test(query.get('limit') ?? '0')) return query;
  const paged = new URLSearchParams(query);
  paged.set('limit', String(Number.MAX_SAFE_INTEGER));
  return paged;
}
