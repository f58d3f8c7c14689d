import {
  functionContainer,
  type Installation,
  labelsOf,
  podNames,
  serviceAccountName,
  timeoutSecondsOf,
} from './pod.ts';

/** Generates the manifests that run the functions on Knative, except RBAC: path → manifest. */
export const knativeManifests = (installation: Installation): ReadonlyMap<string, object> =>
  new Map<string, object>([
    ['service-account.yaml', serviceAccountName(installation)],
    ['resync-service.yaml', service('resync', installation)],
    ['audit-service.yaml', service('audit', installation)],
    ['resync-ping-source.yaml', pingSource(installation)],
  ]);

/** One resync at a time; audit events come in bursts. */
const scale = {
  resync: { most: '1', concurrency: 1 },
  audit: { most: '5', concurrency: 8 },
} as const;

const service = (target: keyof typeof scale, installation: Installation) => {
  const timeout = timeoutSecondsOf(installation);
  return {
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Service',
    metadata: {
      name: podNames(installation)[target],
      namespace: installation.namespace,
      // Reached from within the cluster only: the functions check no token.
      labels: {
        ...labelsOf(target, installation),
        'networking.knative.dev/visibility': 'cluster-local',
      },
    },
    spec: {
      template: {
        metadata: {
          labels: labelsOf(target, installation),
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
          // A run sends nothing before its end.
          responseStartTimeoutSeconds: timeout,
          containers: [
            {
              ...functionContainer(target, installation),
              // Knative chooses the times; it refuses a timeout without a period.
              readinessProbe: { httpGet: { path: '/' } },
            },
          ],
        },
      },
    },
  };
};

const pingSource = (installation: Installation) => ({
  apiVersion: 'sources.knative.dev/v1',
  kind: 'PingSource',
  metadata: {
    name: podNames(installation).schedule,
    namespace: installation.namespace,
    labels: labelsOf('schedule', installation),
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
