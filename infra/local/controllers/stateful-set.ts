import { isSemanticallyEqual } from '../api-server/objects/equality.ts';
import { jsonText } from '../api-server/objects/json-text.ts';
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
import { nextPods, nextReadyIn, type Pods, podCount, readyCount } from './pods.ts';
import { hashOf } from './template-hash.ts';

const STATEFUL_SETS = { group: 'apps', version: 'v1', plural: 'statefulsets' };
const CLAIMS = { group: '', version: 'v1', plural: 'persistentvolumeclaims' };
const COLLECTION = 'statefulsets.apps';
/** Pods of a set that have claims, and how many claims are made before others have their turn. */
const MOST_CLAIMING = 1000;
const CLAIMS_PER_TURN = 50;

/**
 * Writes the status of every StatefulSet and makes the volume claims of its templates.
 *
 * Caveats: there are no pods; claims stay Pending, and nothing ever deletes them. Only the first
 * thousand pods of a set get claims.
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
      template: jsonText(spec.template),
      replicas: numberAt(spec, 'replicas') ?? 1,
      now,
      readyAfterMs: podsReadyAfterMs,
      revision: 1,
    });
    memory.set(current.uid, pods);
    makeClaims(current, set);
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

  const makeClaims = (stored: Stored, set: KubeObject): void => {
    const { namespace = '' } = set.metadata;
    let left = CLAIMS_PER_TURN;
    for (const claim of claimsOf(set)) {
      const { name = '' } = claim.metadata;
      if (server.store.get('persistentvolumeclaims', namespace, name)) continue;
      if (left-- === 0) {
        work.add(`${COLLECTION}/${stored.key}`, () => sync(stored));
        return;
      }
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

function* claimsOf(set: KubeObject): Generator<KubeObject> {
  const spec = mapAt(set, 'spec');
  const { name, namespace = '' } = set.metadata;
  const labels = mapAt(mapAt(spec, 'selector'), 'matchLabels') as Record<string, string>;
  const replicas = Math.min(numberAt(spec, 'replicas') ?? 1, MOST_CLAIMING);
  const first = numberAt(mapAt(spec, 'ordinals'), 'start') ?? 0;
  for (const template of mapsAt(spec, 'volumeClaimTemplates')) {
    const metadata = mapAt(template, 'metadata');
    for (let ordinal = first; ordinal < first + replicas; ordinal++) {
      yield {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: {
          name: `${textAt(metadata, 'name')}-${name}-${ordinal}`,
          namespace,
          labels: { ...mapAt(metadata, 'labels'), ...labels } as Record<string, string>,
        },
        spec: mapAt(template, 'spec'),
      };
    }
  }
}

const statusOf = (set: KubeObject, pods: Pods, now: number): JsonMap => {
  const ready = readyCount(pods, now);
  const wanted = podCount(pods);
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
