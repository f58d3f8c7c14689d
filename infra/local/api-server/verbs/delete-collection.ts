import type { Call, Outcome } from '../requests/call.ts';
import type { ApiServer } from '../server.ts';
import { deleteObject } from '../writes/delete-object.ts';
import { deleteOptionsOf } from './delete.ts';
import { list } from './list.ts';

/** DELETE of a collection: each selected object by itself; answers the list of what was there. */
export const deleteCollection = (server: ApiServer, call: Call): Outcome => {
  const { options, dryRun } = deleteOptionsOf(call);
  const selected = list(server, call);
  for (const { namespace, name } of [...selected.entries]) {
    const target = { ...call.target, namespace, name };
    deleteObject(server, options, { target, writer: { dryRun } });
  }
  return selected;
};
