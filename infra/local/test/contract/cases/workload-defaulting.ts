import type { ContractCase } from '../contract-case.ts';
import { defaultedPodTemplate } from '../defaulted-pods.ts';
import { deployment, paths, podTemplate, statefulSet } from '../objects.ts';
import { apply, post } from '../requests.ts';

const defaulted = (path: string, body: object) => ({ request: apply(`${path}/x`, body) });

/** The default imagePullPolicy for each image. */
const pulled: Readonly<Record<string, string>> = {
  nginx: 'Always',
  'nginx:latest': 'Always',
  'host:5000/nginx': 'Always',
  'Host/nginx': 'Always',
  'nginx:1': 'IfNotPresent',
  'nginx ': 'IfNotPresent',
  ' nginx': 'IfNotPresent',
  Nginx: 'IfNotPresent',
  'nginx:Latest': 'IfNotPresent',
  'nginx:5000/x': 'Always',
  'nginx/': 'IfNotPresent',
  ['a'.repeat(64)]: 'IfNotPresent',
  [`nginx:latest@sha256:${'a'.repeat(64)}`]: 'Always',
  [`nginx@sha256:${'a'.repeat(64)}`]: 'IfNotPresent',
};

export const cases: readonly ContractCase[] = [
  {
    id: 'stateful-set',
    reason: 'the same for a StatefulSet and its claims',
    steps: [
      {
        ...defaulted(
          paths.statefulSets,
          statefulSet('x', {
            replicas: undefined,
            volumeClaimTemplates: [
              {
                metadata: { name: 'data' },
                spec: {
                  accessModes: ['ReadWriteOnce'],
                  resources: { requests: { storage: '10240Mi' } },
                },
              },
            ],
          }),
        ),
        expect: {
          status: 201,
          at: {
            spec: {
              replicas: 1,
              selector: { matchLabels: { app: 'web' } },
              template: defaultedPodTemplate(),
              volumeClaimTemplates: [
                {
                  kind: 'PersistentVolumeClaim',
                  apiVersion: 'v1',
                  metadata: { name: 'data' },
                  spec: {
                    accessModes: ['ReadWriteOnce'],
                    resources: { requests: { storage: '10Gi' } },
                    volumeMode: 'Filesystem',
                  },
                  status: { phase: 'Pending' },
                },
              ],
              serviceName: 'web',
              podManagementPolicy: 'OrderedReady',
              updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
              revisionHistoryLimit: 10,
              persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
            },
            status: { replicas: 0, availableReplicas: 0 },
          },
        },
      },
    ],
  },
  {
    id: 'quantities',
    reason: 'quantities are stored in their canonical form',
    steps: [
      {
        ...defaulted(
          paths.deployments,
          deployment('x', {
            paused: true,
            template: podTemplate({
              resources: {
                limits: { cpu: '1000m', memory: '1024Mi', 'ephemeral-storage': '1500M' },
                requests: { cpu: '0.1', memory: '100000Ki', 'ephemeral-storage': '1e3' },
              },
            }),
          }),
        ),
        expect: {
          status: 201,
          at: {
            'spec.template.spec.containers.0.resources': {
              limits: { cpu: '1', 'ephemeral-storage': '1500M', memory: '1Gi' },
              requests: { cpu: '100m', 'ephemeral-storage': '1e3', memory: '100000Ki' },
            },
          },
        },
      },
      {
        ...defaulted(
          paths.deployments,
          deployment('x', {
            paused: true,
            template: podTemplate({
              resources: {
                limits: { cpu: '1.5', memory: '228974848', 'ephemeral-storage': '0.5Gi' },
                requests: { cpu: '100m', memory: '129e6', 'ephemeral-storage': '123Mi' },
              },
            }),
          }),
        ),
        expect: {
          status: 200,
          at: {
            'spec.template.spec.containers.0.resources': {
              limits: { cpu: '1500m', 'ephemeral-storage': '512Mi', memory: '228974848' },
              requests: { cpu: '100m', 'ephemeral-storage': '123Mi', memory: '129e6' },
            },
          },
        },
      },
    ],
  },
  {
    id: 'pull-policy',
    reason: 'an image with a moving tag is always pulled; an invalid name is not',
    steps: Object.entries(pulled).map(([image, policy], index) => ({
      request: post(
        paths.deployments,
        deployment(`x${index}`, { template: podTemplate({ image }) }),
        { dryRun: 'All' },
      ),
      expect: {
        status: 201,
        at: { 'spec.template.spec.containers.0.imagePullPolicy': policy },
      },
    })),
  },
];
