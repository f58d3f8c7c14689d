import type { ServerState } from '../resources/server-state.ts';
import type { Target } from '../resources/target.ts';
import { deleteObject } from '../writes/delete-object.ts';
import type { Call, Outcome } from './call.ts';
import { deleteOptionsOf } from './delete-options.ts';

/** DELETE of one object: answers a Status if it is gone, the object if finalizers keep it. */
export function remove(server: ServerState, call: Call): Outcome {
  const { target } = call;
  const { options, dryRun } = deleteOptionsOf(call);
  const { stored, gone } = deleteObject(server, options, { target, writer: { dryRun } });
  if (!gone || target.served.resource.strategy.returnDeletedObject) {
    const accepted = !gone && options.orphanDependents === false;
    return { kind: 'object', code: accepted ? 202 : 200, stored, served: target.served };
  }
  return { kind: 'status', code: 200, status: success(target, stored.uid) };
}

function success({ served, name }: Target, uid: string) {
  return {
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
  };
}
