import { jsonText } from '../api-server/json/text.ts';
import { type JsonObject, objectAt } from '../api-server/json/value.ts';
import { isSemanticallyEqual } from '../api-server/objects/equality.ts';
import type { Store } from '../api-server/storage/store.ts';
import { read, type Stored } from '../api-server/storage/stored.ts';
import { unlessLostRace } from './client.ts';
import type { Controller, ControllerContext } from './controller.ts';
import { nextPods, nextReadyIn, type Pods, readyCount } from './pods.ts';

const daemonSets = { group: 'apps', version: 'v1', plural: 'daemonsets' };
const collectionName = 'daemonsets.apps';

/** The labels of the imagined node in a cluster without a Node. */
const onlyNode: JsonObject = { 'kubernetes.io/os': 'linux' };

/**
 * Writes the status of every DaemonSet: a pod on each Node, or on an imagined Node if there is none.
 *
 * Caveats: there are no pods; only the template's `nodeSelector` decides on which Nodes a pod would run.
 */
export function daemonSetController(context: ControllerContext): Controller {
  const { server, work, podsReadyAfterMs } = context;
  const { store } = server;
  const client = context.client('daemon-set-controller');
  const memory = new Map<string, Pods>();

  const sync = (stored: Stored): void => {
    const current = store.get(collectionName, stored.namespace, stored.name);
    if (current === undefined) return;
    const set = read(current, 'apps/v1', 'DaemonSet');
    if (set.metadata.deletionTimestamp !== undefined) return;
    const now = performance.now();
    const template = objectAt(objectAt(set, 'spec'), 'template');
    const desired = nodesFor(store, template).length;
    const pods = nextPods(memory.get(current.uid), {
      template: jsonText(template),
      replicas: desired,
      now,
      readyAfterMs: podsReadyAfterMs,
      revision: 1,
    });
    memory.set(current.uid, pods);
    const observedGeneration = set.metadata.generation;
    const status = { ...counts(desired, readyCount(pods, now)), observedGeneration };
    if (!isSemanticallyEqual(status, objectAt(set, 'status'))) {
      const { namespace, name } = current;
      const at = { resource: daemonSets, namespace, name, subresource: 'status' };
      unlessLostRace(() => client({ verb: 'update', ...at, body: { ...set, status } }));
    }
    const wait = nextReadyIn(pods, now);
    if (wait !== undefined) work.addAfter(keyOf(current), wait, () => sync(current));
  };

  const keyOf = ({ key }: Stored): string => `${collectionName}/${key}`;

  return {
    onChange: ({ collection, before, after }) => {
      if (collection === 'nodes') {
        for (const set of store.collection(collectionName).entries) {
          work.add(keyOf(set), () => sync(set));
        }
      } else if (collection === collectionName) {
        if (after) work.add(keyOf(after), () => sync(after));
        else if (before) memory.delete(before.uid);
      }
    },
  };
}

/** Returns the labels of the nodes on which a pod of this template may run. */
function nodesFor(store: Store, template: JsonObject): readonly JsonObject[] {
  const stored = store.collection('nodes').entries;
  const nodes =
    stored.length === 0
      ? [onlyNode]
      : stored.map((node) => (read(node, 'v1', 'Node').metadata.labels ?? {}) as JsonObject);
  const selector = Object.entries(objectAt(objectAt(template, 'spec'), 'nodeSelector'));
  return nodes.filter((labels) => selector.every(([key, value]) => labels[key] === value));
}

/** Returns the counts of a status, without optional counts that are zero. */
const counts = (desired: number, ready: number): JsonObject => ({
  currentNumberScheduled: desired,
  numberMisscheduled: 0,
  desiredNumberScheduled: desired,
  numberReady: ready,
  ...(desired === 0 ? {} : { updatedNumberScheduled: desired }),
  ...(ready === 0 ? {} : { numberAvailable: ready }),
  ...(ready === desired ? {} : { numberUnavailable: desired - ready }),
});
