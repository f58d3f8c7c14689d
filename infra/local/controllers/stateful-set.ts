import { jsonText } from '../api-server/json/text.ts';
import {
  type JsonObject,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from '../api-server/json/value.ts';
import { isSemanticallyEqual } from '../api-server/objects/equality.ts';
import type { KubeObject } from '../api-server/objects/object.ts';
import { type ControllerClient, unlessLostRace } from './client.ts';
import type { Controller, ControllerContext } from './controller.ts';
import { type Pods, podCount, readyCount } from './pods.ts';
import { hashOf } from './template-hash.ts';
import { workloadController } from './workload.ts';

const claims = { group: '', version: 'v1', plural: 'persistentvolumeclaims' };
/** Limits of the pods of a set that get claims, and of claims created in one turn. */
const maxClaiming = 1000;
const claimsPerTurn = 50;

/**
 * Writes the status of every StatefulSet, and creates the volume claims of its templates.
 *
 * Caveats: there are no pods. Claims are never deleted. Only the first thousand pods of a set get claims.
 */
export function statefulSetController(context: ControllerContext): Controller {
  const { store } = context.server;

  const makeClaims = (set: KubeObject, client: ControllerClient): boolean => {
    const { namespace = '' } = set.metadata;
    let left = claimsPerTurn;
    for (const claim of claimsOf(set)) {
      const { name = '' } = claim.metadata;
      if (store.get('persistentvolumeclaims', namespace, name)) continue;
      if (left-- === 0) return false;
      unlessLostRace(() => client({ verb: 'create', resource: claims, namespace, body: claim }));
    }
    return true;
  };

  return workloadController(context, {
    kind: 'StatefulSet',
    plural: 'statefulsets',
    controller: 'statefulset-controller',
    templateOf: (set) => jsonText(objectAt(set, 'spec').template),
    revisionOf: () => 1,
    withStatus(set, pods, now) {
      const status = statusOf(set, pods, now);
      return isSemanticallyEqual(status, objectAt(set, 'status')) ? undefined : { ...set, status };
    },
    writeOthers: makeClaims,
  });
}

function* claimsOf(set: KubeObject): Generator<KubeObject> {
  const spec = objectAt(set, 'spec');
  const { name, namespace = '' } = set.metadata;
  const labels = objectAt(objectAt(spec, 'selector'), 'matchLabels') as Record<string, string>;
  const replicas = Math.min(numberAt(spec, 'replicas') ?? 1, maxClaiming);
  const first = numberAt(objectAt(spec, 'ordinals'), 'start') ?? 0;
  for (const template of objectsAt(spec, 'volumeClaimTemplates')) {
    const metadata = objectAt(template, 'metadata');
    for (let ordinal = first; ordinal < first + replicas; ordinal++) {
      yield {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        metadata: {
          name: `${textAt(metadata, 'name')}-${name}-${ordinal}`,
          namespace,
          labels: { ...objectAt(metadata, 'labels'), ...labels } as Record<string, string>,
        },
        spec: objectAt(template, 'spec'),
      };
    }
  }
}

function statusOf(set: KubeObject, pods: Pods, now: number): JsonObject {
  const ready = readyCount(pods, now);
  const wanted = podCount(pods);
  const revision = `${set.metadata.name}-${hashOf(pods.template)}`;
  const before = textAt(objectAt(set, 'status'), 'currentRevision');
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
}
