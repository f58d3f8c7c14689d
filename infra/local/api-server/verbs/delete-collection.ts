import type { Call, Outcome } from '../requests/call.ts';
import type { ApiServer } from '../server.ts';
import { deleteObject } from '../writes/delete-object.ts';
import { deleteOptionsOf } from './delete-options.ts';
import { list } from './list.ts';

/** DELETE of a collection: each selected object by itself; answers the list of what was there. */
export const deleteCollection = (server: ApiServer, call: Call): Outcome => {
  const { options, dryRun } = deleteOptionsOf(call);
  const selected = list(server, { ...call, query: pagedQuery(call.query) });
  for (const { namespace, name } of [...selected.entries]) {
    const target = { ...call.target, namespace, name };
    deleteObject(server, options, { target, writer: { dryRun } });
  }
  return selected;
};

/**
 * The real server lists page by page, and a page of a version is of that version exactly: one that
 * is compacted away is a 410. This limit is never reached.
 */
const pagedQuery = (query: URLSearchParams): URLSearchParams => {
  if (Number(query.get('limit') ?? 0) !== 0) return query;
  const paged = new URLSearchParams(query);
  // What is wrong with it is for the list to tell.
  if (query.get('limit') !== '') paged.set('limit', String(Number.MAX_SAFE_INTEGER));
  return paged;
};
