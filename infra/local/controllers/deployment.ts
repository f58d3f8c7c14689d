import { jsonText } from '../api-server/json/text.ts';
import { objectAt } from '../api-server/json/value.ts';
import { type KubeObject, timestamp } from '../api-server/objects/object.ts';
import type { Controller, ControllerContext } from './controller.ts';
import { revisionOf, withStatus } from './deployment-status.ts';
import { type Pods, readyCount } from './pods.ts';
import { workloadController } from './workload.ts';

/**
 * Writes revision and status of every Deployment through `/status`, as the real controller does.
 *
 * Caveats: there are no ReplicaSets and no pods; `podsReadyAfterMs` after a change, the pods count as ready. The
 * progress deadline is ignored.
 */
export function deploymentController(context: ControllerContext): Controller {
  return workloadController(context, {
    kind: 'Deployment',
    plural: 'deployments',
    controller: 'deployment-controller',
    templateOf,
    revisionOf,
    withStatus: (deployment, pods, now) =>
      withStatus(deployment, {
        pods,
        ready: readyCount(pods, now),
        now: timestamp(context.server.clock()),
      }),
  });
}

/** A paused Deployment scales, but does not roll. */
function templateOf(deployment: KubeObject, pods: Pods | undefined): string {
  const { paused, template } = objectAt(deployment, 'spec');
  return paused === true && pods ? pods.template : jsonText(template);
}
