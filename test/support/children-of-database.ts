/** Live children of a Database as kube-apiserver 1.36 returned them, with a ready pod. */

import type { JsonObject, KubeObject } from '../../shared/kubernetes.ts';
import { defaultedPodSpec } from './defaulted-pods.ts';
import { fields, ourEntry, ownLabels, ownMetadata } from './managed-fields.ts';
import { merge, type Override } from './merge.ts';
import { createdAt } from './resources.ts';

export const databaseUid = '5b1c2f0e-6f0d-4a83-9d5c-0f5a3f7c9a41';

const owner = {
  apiVersion: 'database.example.com/v1',
  kind: 'Database',
  name: 'test-db',
  uid: databaseUid,
  controller: true,
  blockOwnerDeletion: true,
};
const labels = { app: 'database', database: 'test-db' };

/** Desired fields of the Secret, without the password, which is generated only once. */
export const secretWants = {
  data: { username: 'YWRtaW4=', database: 'bXlkYg==' },
  metadata: { labels: ownLabels('database', 'test-db'), ownerReferences: [owner] },
};

/** The password `s3cr3t-of-thirty-two-characters!` in base64. */
export const password = 'czNjcjN0LW9mLXRoaXJ0eS10d28tY2hhcmFjdGVycyE=';

export const databaseSecret = (
  over: Override<KubeObject & { readonly data: Readonly<Record<string, string>> }> = {},
) =>
  merge(
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name: 'test-db-credentials',
        namespace: 'default',
        uid: 'cc23d404-d579-4898-8320-a5917cab66b9',
        resourceVersion: '269',
        creationTimestamp: createdAt,
        labels: ownLabels('database', 'test-db'),
        ownerReferences: [owner],
        managedFields: [
          ourEntry('v1', {
            'f:data': fields(['database', 'username']),
            'f:metadata': ownMetadata(databaseUid, []),
          }),
          {
            ...ourEntry('v1', { 'f:data': fields(['password']) }),
            manager: 'serverless-reconciler-generated',
          },
        ],
      },
      data: { database: 'bXlkYg==', password, username: 'YWRtaW4=' },
      type: 'Opaque',
    },
    over,
  );

const container = {
  name: 'postgres',
  image: 'postgres:14',
  ports: [{ containerPort: 5432, name: 'postgres', protocol: 'TCP' }],
  volumeMounts: [{ mountPath: '/var/lib/postgresql/data', name: 'data' }],
};

/** Desired fields of the StatefulSet, with amounts that the server would normalize. */
export const statefulSetWants = {
  metadata: {
    labels: { ...labels, ...ownLabels('database', 'test-db') },
    ownerReferences: [owner],
  },
  spec: {
    replicas: 1,
    serviceName: 'test-db',
    selector: { matchLabels: labels },
    template: {
      metadata: { labels, annotations: { 'serverless-reconciler/secret-digest': 'd1gest' } },
      spec: {
        containers: [
          {
            ...container,
            resources: {
              requests: { cpu: '0.5', memory: '1024Mi' },
              limits: { cpu: 2, memory: '2147483648' },
            },
          },
        ],
      },
    },
    volumeClaimTemplates: [
      {
        metadata: { name: 'data' },
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '10240Mi' } } },
      },
    ],
  },
};

interface LiveStatefulSet extends KubeObject {
  readonly spec: JsonObject & {
    readonly updateStrategy: {
      readonly type: string;
      readonly rollingUpdate?: { readonly partition?: number };
    };
  };
  readonly status: JsonObject;
}

export const databaseStatefulSet = (over: Override<LiveStatefulSet> = {}): LiveStatefulSet =>
  merge(
    {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: {
        name: 'test-db',
        namespace: 'default',
        uid: 'da75178f-edc4-40e4-b7e8-ab48da18dfcd',
        resourceVersion: '287',
        generation: 1,
        creationTimestamp: createdAt,
        labels: { ...labels, ...ownLabels('database', 'test-db') },
        ownerReferences: [owner],
        managedFields: [ourEntry('apps/v1', statefulSetFields)],
      },
      spec: {
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
        podManagementPolicy: 'OrderedReady',
        replicas: 1,
        revisionHistoryLimit: 10,
        selector: { matchLabels: labels },
        serviceName: 'test-db',
        template: {
          metadata: { annotations: { 'serverless-reconciler/secret-digest': 'd1gest' }, labels },
          spec: podSpec,
        },
        updateStrategy: { rollingUpdate: { partition: 0 }, type: 'RollingUpdate' },
        volumeClaimTemplates: [
          {
            apiVersion: 'v1',
            kind: 'PersistentVolumeClaim',
            metadata: { name: 'data' },
            spec: {
              accessModes: ['ReadWriteOnce'],
              resources: { requests: { storage: '10Gi' } },
              volumeMode: 'Filesystem',
            },
            status: { phase: 'Pending' },
          },
        ],
      },
      status: {
        availableReplicas: 1,
        collisionCount: 0,
        currentReplicas: 1,
        currentRevision: 'test-db-6db9f4df78',
        observedGeneration: 1,
        readyReplicas: 1,
        replicas: 1,
        updateRevision: 'test-db-6db9f4df78',
        updatedReplicas: 1,
      },
    },
    over,
  );

const podSpec = defaultedPodSpec({
  ...container,
  resources: {
    limits: { cpu: '2', memory: '2147483648' },
    requests: { cpu: '500m', memory: '1Gi' },
  },
});

const amounts = fields(['cpu', 'memory']);
const statefulSetFields = {
  'f:metadata': ownMetadata(databaseUid, Object.keys(labels)),
  'f:spec': {
    'f:replicas': {},
    'f:selector': {},
    'f:serviceName': {},
    'f:template': {
      'f:metadata': {
        'f:annotations': fields(['serverless-reconciler/secret-digest']),
        'f:labels': fields(Object.keys(labels)),
      },
      'f:spec': {
        'f:containers': {
          'k:{"name":"postgres"}': {
            '.': {},
            ...fields(['image', 'name']),
            'f:ports': {
              'k:{"containerPort":5432,"protocol":"TCP"}': {
                '.': {},
                ...fields(['containerPort', 'name', 'protocol']),
              },
            },
            'f:resources': { 'f:limits': amounts, 'f:requests': amounts },
            'f:volumeMounts': {
              'k:{"mountPath":"/var/lib/postgresql/data"}': {
                '.': {},
                ...fields(['mountPath', 'name']),
              },
            },
          },
        },
      },
    },
    'f:volumeClaimTemplates': {},
  },
};
