import type { ContractCase } from '../contract-case.ts';
import { defaultedContainer, defaultedPodSpec, defaultedPodTemplate } from '../defaulted-pods.ts';
import { deployment, paths } from '../objects.ts';
import { apply } from '../requests.ts';

const defaulted = (path: string, body: object) => ({ request: apply(`${path}/x`, body) });

export const cases: readonly ContractCase[] = [
  {
    id: 'deployment',
    reason: 'what the server adds to a minimal Deployment',
    steps: [
      {
        ...defaulted(paths.deployments, deployment('x', { replicas: undefined, paused: true })),
        expect: {
          status: 201,
          at: {
            spec: {
              replicas: 1,
              selector: { matchLabels: { app: 'web' } },
              template: defaultedPodTemplate(),
              strategy: {
                type: 'RollingUpdate',
                rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' },
              },
              revisionHistoryLimit: 10,
              paused: true,
              progressDeadlineSeconds: 600,
            },
            status: {},
          },
          body: { metadata: { generation: 1 } },
        },
      },
    ],
  },
  {
    id: 'containers',
    reason: 'what it adds to containers, probes, volumes and environment',
    steps: [
      {
        ...defaulted(
          paths.deployments,
          deployment('x', {
            paused: true,
            strategy: { type: 'RollingUpdate' },
            template: {
              metadata: { labels: { app: 'web' } },
              spec: {
                serviceAccountName: 'web',
                containers: [
                  {
                    name: 'a',
                    image: 'nginx',
                    ports: [{ containerPort: 80 }],
                    env: [
                      { name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
                      { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
                      { name: 'C' },
                    ],
                    livenessProbe: { httpGet: { port: 80 } },
                    readinessProbe: { tcpSocket: { port: 80 }, initialDelaySeconds: 1 },
                    resources: { limits: { cpu: 1, memory: '0.5Gi' }, requests: { cpu: '0.5' } },
                    securityContext: { runAsUser: 1 },
                    volumeMounts: [{ name: 's', mountPath: '/s' }],
                  },
                  { name: 'b', image: 'nginx:latest' },
                  {
                    name: 'c',
                    image:
                      'nginx@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
                  },
                ],
                initContainers: [{ name: 'i', image: 'busybox:1' }],
                volumes: [
                  { name: 's', secret: { secretName: 's' } },
                  { name: 'c', configMap: { name: 'c', items: [{ key: 'k', path: 'p' }] } },
                  { name: 'e', emptyDir: {} },
                  { name: 'n' },
                  { name: 'p', persistentVolumeClaim: { claimName: 'p' } },
                ],
              },
            },
          }),
        ),
        expect: {
          status: 201,
          at: {
            'spec.template.spec': defaultedPodSpec({
              volumes: [
                { name: 's', secret: { secretName: 's', defaultMode: 420 } },
                {
                  name: 'c',
                  configMap: { name: 'c', items: [{ key: 'k', path: 'p' }], defaultMode: 420 },
                },
                { name: 'e', emptyDir: {} },
                { name: 'n', emptyDir: {} },
                { name: 'p', persistentVolumeClaim: { claimName: 'p' } },
              ],
              initContainers: [defaultedContainer({ name: 'i', image: 'busybox:1' })],
              containers: [
                defaultedContainer({
                  name: 'a',
                  image: 'nginx',
                  ports: [{ containerPort: 80, protocol: 'TCP' }],
                  env: [
                    {
                      name: 'A',
                      valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } },
                    },
                    { name: 'B', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
                    { name: 'C' },
                  ],
                  resources: { limits: { cpu: '1', memory: '512Mi' }, requests: { cpu: '500m' } },
                  volumeMounts: [{ name: 's', mountPath: '/s' }],
                  livenessProbe: {
                    httpGet: { path: '/', port: 80, scheme: 'HTTP' },
                    timeoutSeconds: 1,
                    periodSeconds: 10,
                    successThreshold: 1,
                    failureThreshold: 3,
                  },
                  readinessProbe: {
                    tcpSocket: { port: 80 },
                    initialDelaySeconds: 1,
                    timeoutSeconds: 1,
                    periodSeconds: 10,
                    successThreshold: 1,
                    failureThreshold: 3,
                  },
                  imagePullPolicy: 'Always',
                  securityContext: { runAsUser: 1 },
                }),
                defaultedContainer({ name: 'b', image: 'nginx:latest', imagePullPolicy: 'Always' }),
                defaultedContainer({
                  name: 'c',
                  image:
                    'nginx@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef',
                }),
              ],
              serviceAccountName: 'web',
              serviceAccount: 'web',
            }),
            'spec.strategy': {
              type: 'RollingUpdate',
              rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' },
            },
          },
        },
      },
    ],
  },
];
