import type { Kind } from '../../../shared/kinds/kind.ts';
import {
  functionContainer,
  objectLabels,
  type PodSettings,
  podNames,
  serviceAccountManifest,
  timeoutSecondsOf,
} from '../pod.ts';
import { apiServerSource } from './api-server-source.ts';

/** path → manifest, without RBAC */
export const knativeManifests = (
  installation: PodSettings,
  kinds: readonly Kind[],
): ReadonlyMap<string, object> =>
  new Map<string, object>([
    ['service-account.yaml', serviceAccountManifest(installation)],
    ['resync-service.yaml', service('resync', installation)],
    ['audit-service.yaml', service('audit', withoutWaiting(installation))],
    ['resync-ping-source.yaml', pingSource(installation)],
    ...apiServerSource(kinds, installation),
  ]);

/** Allows only one resync at a time. Allows several deliveries, because audit events come in bursts. */
const scale = {
  resync: { most: '1', concurrency: 1 },
  audit: { most: '5', concurrency: 8 },
} as const;

/**
 * Makes the audit function respond without waiting for children to be ready: until it responds, the source holds back
 * further events about the same resource type. Nothing is missed, because a child that becomes ready causes an event.
 */
const withoutWaiting = ({ environment, ...rest }: PodSettings): PodSettings => ({
  ...rest,
  environment: { SETTLE_SECONDS: '0', ...environment },
});

const service = (target: keyof typeof scale, installation: PodSettings) => {
  const timeout = timeoutSecondsOf(installation);
  return {
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Service',
    metadata: {
      name: podNames(installation)[target],
      namespace: installation.namespace,
      // Makes the function reachable only from within the cluster, because the functions check no token.
      labels: {
        ...objectLabels(target, installation),
        'networking.knative.dev/visibility': 'cluster-local',
      },
    },
    spec: {
      template: {
        metadata: {
          labels: objectLabels(target, installation),
          annotations: {
            'autoscaling.knative.dev/min-scale': '0',
            'autoscaling.knative.dev/max-scale': scale[target].most,
          },
        },
        spec: {
          serviceAccountName: podNames(installation).account,
          enableServiceLinks: false,
          containerConcurrency: scale[target].concurrency,
          timeoutSeconds: timeout,
          // Equals the whole timeout, because the response begins only at the end of the run.
          responseStartTimeoutSeconds: timeout,
          containers: [
            {
              ...functionContainer(target, installation),
              // Leaves period and timeout to Knative, which refuses a timeout without a period.
              readinessProbe: { httpGet: { path: '/' } },
            },
          ],
        },
      },
    },
  };
};

const pingSource = (installation: PodSettings) => ({
  apiVersion: 'sources.knative.dev/v1',
  kind: 'PingSource',
  metadata: {
    name: podNames(installation).schedule,
    namespace: installation.namespace,
    labels: objectLabels('schedule', installation),
  },
  spec: {
    schedule: installation.schedule,
    timezone: 'Etc/UTC',
    contentType: 'application/json',
    data: '{}',
    sink: {
      ref: {
        apiVersion: 'serving.knative.dev/v1',
        kind: 'Service',
        name: podNames(installation).resync,
      },
    },
  },
});
