import { numberAt, objectAt } from '../api-server/json/value.ts';
import type { KubeObject } from '../api-server/objects/object.ts';
import { read, type Stored } from '../api-server/storage/stored.ts';
import { type ControllerClient, unlessLostRace } from './client.ts';
import type { Controller, ControllerContext } from './controller.ts';
import { nextPods, nextReadyIn, type Pods } from './pods.ts';

/** The parts of a controller that differ between the workloads of group apps. */
export interface Workload {
  readonly kind: string;
  readonly plural: string;
  /** The identity of its controller. */
  readonly controller: string;
  readonly templateOf: (object: KubeObject, before: Pods | undefined) => string;
  /** The first revision, if none is remembered. */
  readonly revisionOf: (object: KubeObject) => number;
  /** Returns the object with the status of its pods; undefined if the status is up to date. */
  readonly withStatus: (object: KubeObject, pods: Pods, now: number) => KubeObject | undefined;
  /** Writes further objects of the workload; returns false if it has to be called again for the rest. */
  readonly writeOthers?: (object: KubeObject, client: ControllerClient) => boolean;
}

/** Writes the status of every workload of a kind, again whenever one of its pods becomes ready. */
export function workloadController(context: ControllerContext, workload: Workload): Controller {
  const { server, work, podsReadyAfterMs } = context;
  const { kind, plural } = workload;
  const collectionName = `${plural}.apps`;
  const client = context.client(workload.controller);
  const memory = new Map<string, Pods>();

  const sync = (stored: Stored): void => {
    const current = server.store.get(collectionName, stored.namespace, stored.name);
    if (current === undefined) return;
    const object = read(current, 'apps/v1', kind);
    if (object.metadata.deletionTimestamp !== undefined) return;
    const now = performance.now();
    const before = memory.get(current.uid);
    const pods = nextPods(before, {
      template: workload.templateOf(object, before),
      replicas: numberAt(objectAt(object, 'spec'), 'replicas') ?? 1,
      now,
      readyAfterMs: podsReadyAfterMs,
      revision: workload.revisionOf(object),
    });
    memory.set(current.uid, pods);
    if (workload.writeOthers?.(object, client) === false) syncLater(current);
    const updated = workload.withStatus(object, pods, now);
    if (updated) writeStatus(updated, plural, client);
    const wait = nextReadyIn(pods, now);
    if (wait !== undefined) work.addAfter(keyOf(current), wait, () => sync(current));
  };
  const keyOf = ({ key }: Stored): string => `${collectionName}/${key}`;
  const syncLater = (stored: Stored): void => work.add(keyOf(stored), () => sync(stored));

  return {
    onChange: ({ collection, before, after }) => {
      if (collection !== collectionName) return;
      if (after) syncLater(after);
      else if (before) memory.delete(before.uid);
    },
  };
}

function writeStatus(body: KubeObject, plural: string, client: ControllerClient): void {
  const { namespace = '', name = '' } = body.metadata;
  const resource = { group: 'apps', version: 'v1', plural };
  unlessLostRace(() =>
    client({ verb: 'update', resource, namespace, name, subresource: 'status', body }),
  );
}
