import type { Call, Outcome } from '../requests/call.ts';
import type { ApiServer } from '../server.ts';
import { deleteObject } from '../writes/delete-object.ts';
import type { Target } from '../writes/target.ts';
import { deleteOptionsOf } from './delete-options.ts';

/** DELETE of one object: a Status when it is gone, the object when finalizers keep it. */
export const remove = (server: ApiServer, call: Call): Outcome => {
  const { target } = call;
  const { options, dryRun } = deleteOptionsOf(call);
  const { stored, gone } = deleteObject(server, options, { target, writer: { dryRun } });
  if (!gone || target.served.resource.strategy.returnsDeleted) {
    const accepted = !gone && options.orphanDependents === false;
    return { kind: 'object', code: accepted ? 202 : 200, stored, served: target.served };
  }
  return { kind: 'status', code: 200, status: success(target, stored.uid) };
};

const success = ({ served, name }: Target, uid: string) => ({
  kind: 'Status' as const,
  apiVersion: 'v1' as const,
  metadata: {},
  status: 'Success' as const,
  details: {
    name,
    ...(served.resource.group === '' ? {} : { group: served.resource.group }),
    kind: served.resource.plural,
    uid,
  },
});
