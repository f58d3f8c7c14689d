import { isSemanticallyEqual } from '../api-server/objects/equality.ts';
import {
  type JsonMap,
  type KubeObject,
  mapAt,
  mapsAt,
  numberAt,
  textAt,
} from '../api-server/objects/object.ts';
import { read, type Stored } from '../api-server/storage/stored.ts';
import { unlessLostRace } from './client.ts';
import type { Controller, ControllerContext } from './controller.ts';
import { nextPods, nextReadyIn, type Pods, readyCount } from './pods.ts';
import { hashOf } from './template-hash.ts';

const STATEFUL_SETS = { group: 'apps', version: 'v1', plural: 'statefulsets' };
const CLAIMS = { group: '', version: 'v1', plural: 'persistentvolumeclaims' };
const COLLECTION = 'statefulsets.apps';

/**
 * Writes the status of every StatefulSet and makes the volume claims of its templates.
 *
 * Caveats: there are no pods; claims stay Pending, and nothing ever deletes them.
 */
export const statefulSetController = (context: ControllerContext): Controller => {
  const { server, work, podsReadyAfterMs } = context;
  const client = context.client('statefulset-controller');
  const memory = new Map<string, Pods>();

  const sync = (stored: Stored): void => {
    const current = server.store.get(COLLECTION, stored.namespace, stored.name);
    if (current === undefined) return;
    const set = read(current, 'apps/v1', 'StatefulSet');
    if (set.metadata.deletionTimestamp !== undefined) return;
    const now = performance.now();
    const spec = mapAt(set, 'spec');
    const pods = nextPods(memory.get(current.uid), {
      template: JSON.stringify(spec.template),
      replicas: numberAt(spec, 'replicas') ?? 1,
      now,
      readyAfterMs: podsReadyAfterMs,
      revision: 1,
    });
    memory.set(current.uid, pods);
    makeClaims(set);
    const status = statusOf(set, pods, now);
    if (!isSemanticallyEqual(status, mapAt(set, 'status'))) {
      unlessLostRace(() =>
        client({
          verb: 'update',
          resource: STATEFUL_SETS,
          namespace: current.namespace,
          name: current.name,
          subresource: 'status',
          body: { ...set, status },
        }),
      );
    }
    const wait = nextReadyIn(pods, now);
    if (wait !== undefined)
      work.addAfter(`${COLLECTION}/${current.key}`, wait, () => sync(current));
  };

  const makeClaims = (set: KubeObject): void => {
    const { namespace = '' } = set.metadata;
    for (const claim of claimsOf(set)) {
      const { name = '' } = claim.metadata;
      if (server.store.get('persistentvolumeclaims', namespace, name)) continue;
      unlessLostRace(() => client({ verb: 'create', resource: CLAIMS, namespace, body: claim }));
    }
  };

  return {
    heed: ({ collection, before, after }) => {
      if (collection !== COLLECTION) return;
      if (after) work.add(`${COLLECTION}/${after.key}`, () => sync(after));
      else if (before) memory.delete(before.uid);
    },
  };
};

const claimsOf = (set: KubeObject): KubeObject[] => {
  const spec = mapAt(set, 'spec');
  const { name, namespace = '' } = set.metadata;
  const labels = mapAt(mapAt(spec, 'selector'), 'matchLabels') as Record<string, string>;
  const replicas = numberAt(spec, 'replicas') ?? 1;
  return mapsAt(spec, 'volumeClaimTemplates').flatMap((template) =>
    Array.from({ length: replicas }, (_, ordinal) => {
      const metadata = mapAt(template, 'metadata');
      return {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: {
          name: `${textAt(metadata, 'name')}-${name}-${ordinal}`,
          namespace,
          labels: { ...mapAt(metadata, 'labels'), ...labels } as Record<string, string>,
        },
        spec: mapAt(template, 'spec'),
      };
    }),
  );
};

const statusOf = (set: KubeObject, pods: Pods, now: number): JsonMap => {
  const ready = readyCount(pods, now);
  const wanted = pods.readyAt.length;
  const revision = `${set.metadata.name}-${hashOf(pods.template)}`;
  const before = textAt(mapAt(set, 'status'), 'currentRevision');
  const rolledOut = ready === wanted;
  return {
    observedGeneration: set.metadata.generation,
    replicas: wanted,
    ...(ready === 0 ? {} : { readyReplicas: ready }),
    ...(wanted === 0 ? {} : { currentReplicas: wanted, updatedReplicas: wanted }),
    currentRevision: rolledOut || before === '' ? revision : before,
    updateRevision: revision,
    collisionCount: 0,
    availableReplicas: ready,
  };
};
