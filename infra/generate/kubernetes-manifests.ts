import { containerImage } from './container.ts';
import {
  functionContainer,
  metricsPorts,
  objectLabels,
  type PodSettings,
  podNames,
  restricted,
  serviceAccountManifest,
  timeoutSecondsOf,
} from './pod.ts';

interface KubernetesInstallation extends PodSettings {
  /** CIDR blocks; undefined allows all. */
  readonly auditFrom: readonly string[] | undefined;
}

/** path → manifest, without RBAC */
export const kubernetesManifests = (
  installation: KubernetesInstallation,
): ReadonlyMap<string, object> =>
  new Map<string, object>([
    // Mounts the account's token only into pods that set automountServiceAccountToken to true.
    [
      'service-account.yaml',
      { ...serviceAccountManifest(installation), automountServiceAccountToken: false },
    ],
    ['resync-deployment.yaml', deployment('resync', installation)],
    ['resync-service.yaml', service('resync', installation)],
    [
      'resync-network-policy.yaml',
      networkPolicy('resync', installation, fromSchedule(installation)),
    ],
    ['resync-cron-job.yaml', cronJob(installation)],
    ['audit-deployment.yaml', deployment('audit', installation)],
    ['audit-service.yaml', service('audit', installation)],
    ...(installation.auditFrom === undefined
      ? []
      : [
          [
            'audit-network-policy.yaml',
            networkPolicy('audit', installation, fromBlocks(installation.auditFrom)),
          ] as const,
        ]),
  ]);

type Target = 'resync' | 'audit';

const metadataOf = (target: Target | 'schedule', installation: PodSettings) => ({
  name: podNames(installation)[target],
  namespace: installation.namespace,
  labels: objectLabels(target, installation),
});

const probe = { httpGet: { path: '/', port: containerImage.port }, timeoutSeconds: 5 };

const deployment = (target: Target, installation: PodSettings) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: metadataOf(target, installation),
  spec: {
    // With two replicas, runs could overlap. Overlapping runs are safe, but read everything twice.
    replicas: 1,
    selector: { matchLabels: objectLabels(target, installation) },
    template: {
      metadata: { labels: objectLabels(target, installation) },
      spec: {
        serviceAccountName: podNames(installation).account,
        automountServiceAccountToken: true,
        enableServiceLinks: false,
        // Gives a stopped function time to finish the resources in progress, and to write their statuses.
        terminationGracePeriodSeconds: 60,
        containers: [
          {
            ...functionContainer(target, installation),
            // Keeps serving for as long as the Service may still send requests.
            lifecycle: { preStop: { sleep: { seconds: 5 } } },
            readinessProbe: { ...probe, periodSeconds: 10 },
            // Restarts the process only after two minutes without a response, because a run may delay responses.
            livenessProbe: { ...probe, periodSeconds: 20, failureThreshold: 6 },
          },
        ],
      },
    },
  },
});

const service = (target: Target, installation: PodSettings) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: metadataOf(target, installation),
  spec: {
    selector: objectLabels(target, installation),
    ports: [{ port: 80, protocol: 'TCP', targetPort: containerImage.port }],
  },
});

/** Does not use `fetch`, whose timeout of five minutes may be shorter than a resync. The Job has a deadline instead. */
const postAndWait = `\
const { request } = require('node:http');
const sent = request(process.argv[1], { method: 'POST' }, (response) => {
  response.pipe(process.stdout);
  process.exitCode = response.statusCode === 200 ? 0 : 1;
});
sent.on('error', ({ message }) => {
  process.stderr.write(message + '\\n');
  process.exitCode = 1;
});
sent.end();
`;

const cronJob = (installation: PodSettings) => ({
  apiVersion: 'batch/v1',
  kind: 'CronJob',
  metadata: metadataOf('schedule', installation),
  spec: {
    schedule: installation.schedule,
    timeZone: 'Etc/UTC',
    concurrencyPolicy: 'Forbid',
    startingDeadlineSeconds: 60,
    successfulJobsHistoryLimit: 1,
    failedJobsHistoryLimit: 3,
    jobTemplate: {
      spec: {
        // A busy function returns 503. The Job then starts another pod, which tries again.
        backoffLimit: 3,
        activeDeadlineSeconds: timeoutSecondsOf(installation) + 15,
        template: {
          metadata: { labels: objectLabels('schedule', installation) },
          spec: callerPod(installation),
        },
      },
    },
  },
});

/** Mounts no token: a NetworkPolicy, not a token, lets this pod call the function. */
const callerPod = (installation: PodSettings) => ({
  automountServiceAccountToken: false,
  enableServiceLinks: false,
  restartPolicy: 'Never',
  containers: [
    {
      name: 'schedule',
      image: installation.image,
      command: ['node', '-e', postAndWait, `http://${podNames(installation).resync}/`],
      resources: { requests: { cpu: '10m', memory: '64Mi' }, limits: { memory: '128Mi' } },
      securityContext: restricted,
    },
  ],
});

type Sources = readonly object[];

const fromSchedule = (installation: PodSettings): Sources => [
  { podSelector: { matchLabels: objectLabels('schedule', installation) } },
];

const fromBlocks = (blocks: readonly string[]): Sources =>
  blocks.map((cidr) => ({ ipBlock: { cidr } }));

const networkPolicy = (target: Target, installation: PodSettings, from: Sources) => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: metadataOf(target, installation),
  spec: {
    podSelector: { matchLabels: objectLabels(target, installation) },
    policyTypes: ['Ingress'],
    ingress: [
      { from, ports: [{ protocol: 'TCP', port: containerImage.port }] },
      // Any pod in the cluster may scrape the metrics.
      ...metricsPorts(installation).map((port) => ({ ports: [{ protocol: 'TCP', port }] })),
    ],
  },
});
