import type { ContractCase, Step } from '../contract-case.ts';
import { deployment, paths, podTemplate, statefulSet } from '../objects.ts';
import { apply, get, mergePatch, post } from '../requests.ts';

const d = `${paths.deployments}/x`;
const s = `${paths.statefulSets}/x`;

const settled = (path: string, body: object): Step => ({
  eventually: true,
  request: get(path),
  expect: { status: 200, body },
});
const available = (revision: string, replicas: number) => ({
  metadata: { annotations: { 'deployment.kubernetes.io/revision': revision } },
  status: {
    replicas,
    updatedReplicas: replicas,
    readyReplicas: replicas,
    availableReplicas: replicas,
    unavailableReplicas: undefined,
    conditions: [
      { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
      { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
    ],
  },
});

export const cases: readonly ContractCase[] = [
  {
    id: 'deployment',
    reason: 'a Deployment becomes available, and counts its templates as revisions',
    steps: [
      { request: apply(d, deployment('x', { replicas: 2 })), expect: { status: 201 } },
      settled(d, available('1', 2)),
      {
        request: apply(
          d,
          deployment('x', { replicas: 2, template: podTemplate({ image: 'nginx:2' }) }),
        ),
        expect: { status: 200, body: { metadata: { generation: 2 } } },
      },
      settled(d, {
        ...available('2', 2),
        metadata: { generation: 2, annotations: { 'deployment.kubernetes.io/revision': '2' } },
      }),
      {
        request: apply(
          d,
          deployment('x', { replicas: 1, template: podTemplate({ image: 'nginx:2' }) }),
        ),
        expect: { status: 200 },
      },
      settled(d, available('2', 1)),
    ],
  },
  {
    id: 'deployment-empty',
    reason: 'zero replicas are available when zero are wanted',
    steps: [
      { request: apply(d, deployment('x')), expect: { status: 201 } },
      settled(d, {
        status: {
          observedGeneration: 1,
          replicas: undefined,
          readyReplicas: undefined,
          conditions: [
            { type: 'Available', status: 'True', reason: 'MinimumReplicasAvailable' },
            { type: 'Progressing', status: 'True', reason: 'NewReplicaSetAvailable' },
          ],
        },
      }),
    ],
  },
  {
    id: 'deployment-paused',
    reason: 'a paused Deployment does not roll',
    steps: [
      { request: apply(d, deployment('x', { replicas: 1 })), expect: { status: 201 } },
      settled(d, available('1', 1)),
      { request: mergePatch(d, { spec: { paused: true } }), expect: { status: 200 } },
      settled(d, {
        status: {
          observedGeneration: 2,
          conditions: [
            { type: 'Available' },
            { type: 'Progressing', status: 'Unknown', reason: 'DeploymentPaused' },
          ],
        },
      }),
    ],
  },
  {
    id: 'deployment-paused-edited',
    reason: 'no pod of a paused Deployment counts as updated after its template has changed',
    steps: [
      { request: apply(d, deployment('x', { replicas: 1 })), expect: { status: 201 } },
      settled(d, available('1', 1)),
      {
        request: mergePatch(d, {
          spec: { paused: true, template: { metadata: { annotations: { a: 'b' } } } },
        }),
        expect: { status: 200 },
      },
      settled(d, {
        metadata: { annotations: { 'deployment.kubernetes.io/revision': '1' } },
        status: {
          observedGeneration: 2,
          replicas: 1,
          updatedReplicas: undefined,
          readyReplicas: 1,
          availableReplicas: 1,
          conditions: [{ type: 'Available' }, { reason: 'DeploymentPaused' }],
        },
      }),
      { request: mergePatch(d, { spec: { paused: null } }), expect: { status: 200 } },
      settled(d, {
        metadata: { annotations: { 'deployment.kubernetes.io/revision': '2' } },
        status: {
          replicas: 1,
          updatedReplicas: 1,
          conditions: [{}, { reason: 'NewReplicaSetAvailable' }],
        },
      }),
    ],
  },
  {
    id: 'revision-restored',
    reason: 'the controller puts its annotation back',
    steps: [
      { request: apply(d, deployment('x')), expect: { status: 201 } },
      settled(d, {
        metadata: { annotations: { 'deployment.kubernetes.io/revision': '1' } },
        status: { conditions: [{}, { reason: 'NewReplicaSetAvailable' }] },
      }),
      {
        request: mergePatch(d, {
          metadata: { annotations: { 'deployment.kubernetes.io/revision': null } },
        }),
        expect: { status: 200 },
      },
      settled(d, { metadata: { annotations: { 'deployment.kubernetes.io/revision': '1' } } }),
    ],
  },
  {
    id: 'scaled',
    reason: 'a Deployment scaled by hand follows',
    steps: [
      { request: apply(d, deployment('x', { replicas: 1 })), expect: { status: 201 } },
      { request: mergePatch(`${d}/scale`, { spec: { replicas: 3 } }), expect: { status: 200 } },
      settled(d, available('1', 3)),
      settled(`${d}/scale`, { spec: { replicas: 3 }, status: { replicas: 3 } }),
    ],
  },
  {
    id: 'stateful-set',
    reason: 'a StatefulSet becomes ready one by one',
    steps: [
      { request: apply(s, statefulSet('x', { replicas: 2 })), expect: { status: 201 } },
      settled(s, {
        status: {
          observedGeneration: 1,
          replicas: 2,
          readyReplicas: 2,
          availableReplicas: 2,
          currentReplicas: 2,
          updatedReplicas: 2,
          currentRevision: /^x-/,
          updateRevision: /^x-/,
        },
      }),
    ],
  },
  {
    id: 'claim',
    reason: 'a volume claim is bound',
    steps: [
      {
        request: post('/api/v1/namespaces/{ns}/persistentvolumeclaims', {
          apiVersion: 'v1',
          kind: 'PersistentVolumeClaim',
          metadata: { name: 'x' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1024Mi' } } },
        }),
        expect: {
          status: 201,
          at: {
            spec: {
              accessModes: ['ReadWriteOnce'],
              resources: { requests: { storage: '1Gi' } },
              volumeMode: 'Filesystem',
            },
            status: { phase: 'Pending' },
            'metadata.finalizers': ['kubernetes.io/pvc-protection'],
          },
        },
      },
      settled('/api/v1/namespaces/{ns}/persistentvolumeclaims/x', {
        metadata: { annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
        status: { phase: 'Bound', accessModes: ['ReadWriteOnce'] },
      }),
    ],
  },
];
