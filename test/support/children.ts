/** Live children as kube-apiserver 1.36 returned them, a second after the reconciler created them. */

import type { FieldsV1, JsonObject, KubeObject } from '../../shared/kubernetes.ts';
import { defaultedPodSpec } from './defaulted-pods.ts';
import { controllerEntry, fields, ourEntry, ownLabels, ownMetadata } from './managed-fields.ts';
import { merge, type Override } from './merge.ts';
import { createdAt, fooUid, websiteUid } from './resources.ts';

interface LiveDeployment extends KubeObject {
  readonly spec: JsonObject & {
    readonly replicas: number;
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: JsonObject & {
        readonly containers: readonly JsonObject[];
      };
    };
  };
  readonly status: JsonObject;
}

/** The Deployment of the sample Website: two nginx pods, all ready. */
export const websiteDeployment = (over: Override<LiveDeployment> = {}): LiveDeployment =>
  merge(
    deployment({
      owner: { apiVersion: 'kubecon.my.domain/v1beta1', kind: 'Website', uid: websiteUid },
      name: 'website-sample',
      uid: '370acbd1-ca17-4535-aa3f-bbc5a0f50c45',
      resourceVersion: '285',
      labels: { type: 'Website', website: 'website-sample' },
      podLabels: { type: 'Website', website: 'website-sample' },
      replicas: 2,
      container: {
        image: 'abangser/todo-local-storage:latest',
        ports: [{ containerPort: 80, protocol: 'TCP' }],
      },
      containerFields: {
        'f:image': {},
        'f:imagePullPolicy': {},
        'f:ports': {
          'k:{"containerPort":80,"protocol":"TCP"}': {
            '.': {},
            'f:containerPort': {},
            'f:protocol': {},
          },
        },
      },
    }),
    over,
  );

/** The Deployment of the sample Foo: one nginx pod, ready. */
export const fooDeployment = (over: Override<LiveDeployment> = {}): LiveDeployment =>
  merge(
    deployment({
      owner: { apiVersion: 'example.com/v1alpha1', kind: 'Foo', uid: fooUid },
      name: 'foo-sample',
      uid: '1528d116-21d0-48fe-9c13-e3b6a75d335b',
      resourceVersion: '283',
      labels: {},
      podLabels: { app: 'nginx', controller: 'foo-sample' },
      replicas: 1,
      container: { image: 'nginx:latest' },
      containerFields: { 'f:image': {} },
    }),
    over,
  );

/** The Service of the sample Website: node port 31000. */
export const websiteService = (over: Override<KubeObject> = {}): KubeObject =>
  merge(
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {
        name: 'website-sample',
        namespace: 'default',
        uid: '507620b1-05d4-4aba-b3c7-cc118562f46a',
        resourceVersion: '251',
        creationTimestamp: createdAt,
        labels: {
          ...ownLabels('website', 'website-sample'),
          type: 'Website',
          website: 'website-sample',
        },
        ownerReferences: [
          {
            apiVersion: 'kubecon.my.domain/v1beta1',
            kind: 'Website',
            name: 'website-sample',
            uid: websiteUid,
            controller: true,
            blockOwnerDeletion: true,
          },
        ],
        managedFields: [
          ourEntry('v1', {
            'f:metadata': ownMetadata(websiteUid, ['type', 'website']),
            'f:spec': {
              'f:ports': {
                'k:{"port":80,"protocol":"TCP"}': {
                  '.': {},
                  'f:nodePort': {},
                  'f:port': {},
                  'f:protocol': {},
                  'f:targetPort': {},
                },
              },
              'f:selector': {},
              'f:type': {},
            },
          }),
        ],
      },
      spec: {
        clusterIP: '10.96.220.121',
        clusterIPs: ['10.96.220.121'],
        externalTrafficPolicy: 'Cluster',
        internalTrafficPolicy: 'Cluster',
        ipFamilies: ['IPv4'],
        ipFamilyPolicy: 'SingleStack',
        ports: [{ nodePort: 31000, port: 80, protocol: 'TCP', targetPort: 80 }],
        selector: { type: 'Website', website: 'website-sample' },
        sessionAffinity: 'None',
        type: 'NodePort',
      },
      status: { loadBalancer: {} },
    },
    over,
  );

interface DeploymentSample {
  readonly owner: { readonly apiVersion: string; readonly kind: string; readonly uid: string };
  readonly name: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly podLabels: Readonly<Record<string, string>>;
  readonly replicas: number;
  readonly container: JsonObject;
  readonly containerFields: FieldsV1;
}

function deployment(sample: DeploymentSample): LiveDeployment {
  const { owner, name, uid, resourceVersion, labels, podLabels, replicas, container } = sample;
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name,
      namespace: 'default',
      uid,
      resourceVersion,
      generation: 1,
      creationTimestamp: createdAt,
      labels: { ...ownLabels(owner.kind.toLowerCase(), name), ...labels },
      annotations: { 'deployment.kubernetes.io/revision': '1' },
      ownerReferences: [{ ...owner, name, controller: true, blockOwnerDeletion: true }],
      managedFields: [
        ourEntry('apps/v1', {
          'f:metadata': ownMetadata(owner.uid, Object.keys(labels)),
          'f:spec': {
            'f:replicas': {},
            'f:selector': {},
            'f:template': {
              'f:metadata': { 'f:labels': fields(Object.keys(podLabels)) },
              'f:spec': {
                'f:containers': {
                  'k:{"name":"nginx"}': { '.': {}, 'f:name': {}, ...sample.containerFields },
                },
              },
            },
          },
        }),
        controllerEntry,
      ],
    },
    spec: {
      progressDeadlineSeconds: 600,
      replicas,
      revisionHistoryLimit: 10,
      selector: { matchLabels: podLabels },
      strategy: {
        rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' },
        type: 'RollingUpdate',
      },
      template: {
        metadata: { labels: podLabels },
        spec: defaultedPodSpec({ name: 'nginx', imagePullPolicy: 'Always', ...container }),
      },
    },
    status: {
      availableReplicas: replicas,
      conditions: [
        {
          lastTransitionTime: createdAt,
          lastUpdateTime: createdAt,
          message: 'Deployment has minimum availability.',
          reason: 'MinimumReplicasAvailable',
          status: 'True',
          type: 'Available',
        },
        {
          lastTransitionTime: createdAt,
          lastUpdateTime: createdAt,
          message: `ReplicaSet "${name}-5655d98899" has successfully progressed.`,
          reason: 'NewReplicaSetAvailable',
          status: 'True',
          type: 'Progressing',
        },
      ],
      observedGeneration: 1,
      readyReplicas: replicas,
      replicas,
      terminatingReplicas: 0,
      updatedReplicas: replicas,
    },
  };
}
