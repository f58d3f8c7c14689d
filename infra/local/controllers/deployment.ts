import { jsonText } from '../api-server/json/text.ts';
import { type JsonObject, numberAt, objectAt } from '../api-server/json/value.ts';
import { type KubeObject, timestamp } from '../api-server/objects/object.ts';
import { read, type Stored } from '../api-server/storage/stored.ts';
import { unlessLostRace } from './client.ts';
import type { Controller, ControllerContext } from './controller.ts';
import { revisionOf, withStatus } from './deployment-status.ts';
import { nextPods, nextReadyIn, type Pods, readyCount } from './pods.ts';

const deployments = { group: 'apps', version: 'v1', plural: 'deployments' };
const collectionName = 'deployments.apps';

/**
 * Writes revision and status of every Deployment, as the real controller does, through `/status`.
 *
 * Caveats: there are no ReplicaSets and no pods; `podsReadyAfterMs` after a change they would be
 * ready. The progress deadline is ignored.
 */
export function deploymentController(context: ControllerContext): Controller {
  const { server, work, podsReadyAfterMs } = context;
  const client = context.client('deployment-controller');
  const memory = new Map<string, Pods>();

  const sync = (stored: Stored): void => {
    const current = server.store.get(collectionName, stored.namespace, stored.name);
    if (current === undefined) return;
    const deployment = read(current, 'apps/v1', 'Deployment');
    if (deployment.metadata.deletionTimestamp !== undefined) return;
    const now = performance.now();
    const spec = objectAt(deployment, 'spec');
    const pods = nextPods(memory.get(current.uid), {
      template: templateOf(spec, memory.get(current.uid)),
      replicas: numberAt(spec, 'replicas') ?? 1,
      now,
      readyAfterMs: podsReadyAfterMs,
      revision: revisionOf(deployment),
    });
    memory.set(current.uid, pods);
    const updated = withStatus(deployment, {
      pods,
      ready: readyCount(pods, now),
      now: timestamp(server.clock()),
    });
    if (updated) put(updated);
    const wait = nextReadyIn(pods, now);
    if (wait !== undefined)
      work.addAfter(`${collectionName}/${current.key}`, wait, () => sync(current));
  };

  const put = (deployment: KubeObject): void => {
    const { namespace = '', name = '' } = deployment.metadata;
    unlessLostRace(() =>
      client({
        verb: 'update',
        resource: deployments,
        namespace,
        name,
        subresource: 'status',
        body: deployment,
      }),
    );
  };

  return {
    onChange: ({ collection, before, after }) => {
      if (collection !== collectionName) return;
      if (after) work.add(`${collectionName}/${after.key}`, () => sync(after));
      else if (before) memory.delete(before.uid);
    },
  };
}

/** While a Deployment is paused it scales, but does not roll. */
function templateOf(spec: JsonObject, pods: Pods | undefined): string {
  return spec.paused === true && pods ? pods.template : jsonText(spec.template);
}
