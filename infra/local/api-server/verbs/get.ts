import { futureVersion, notFound } from '../errors/errors.ts';
import type { Call, Outcome } from '../requests/call.ts';
import { parseRevision } from '../requests/write-options.ts';
import type { ApiServer } from '../server.ts';
import { subjectOf } from '../writes/target.ts';

/** Reads one object; its status subresource shows the whole object too. */
export const get = ({ store }: ApiServer, { target, query }: Call): Outcome => {
  const asked = parseRevision(query.get('resourceVersion') || '0');
  if (asked > store.revision()) throw futureVersion(asked, store.revision());
  const { served, namespace, name } = target;
  const stored = store.get(served.resource.collection, namespace, name);
  if (stored === undefined) throw notFound(subjectOf(target));
  return { kind: 'object', code: 200, stored, served };
};
