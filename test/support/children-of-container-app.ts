/** Live children of a ContainerApp as kube-apiserver 1.36 returned them. */

import type { KubeObject } from '../../shared/kubernetes.ts';
import { fields, ourEntry, ownLabels, ownMetadata } from './managed-fields.ts';
import { merge, type Override } from './merge.ts';
import { createdAt } from './resources.ts';

export const containerAppUid = '8c1de1a4-6a5e-4d5a-a5a0-3f6f0c2d7f11';

const owner = {
  apiVersion: 'gateway.example.com/v1alpha1',
  kind: 'ContainerApp',
  name: 'shop',
  uid: containerAppUid,
  controller: true,
  blockOwnerDeletion: true,
};
const metadata = { labels: ownLabels('containerapp', 'shop'), ownerReferences: [owner] };

const annotations = {
  'nginx.ingress.kubernetes.io/auth-url': 'https://auth.example.com/check?scopes=a%20b',
  'nginx.ingress.kubernetes.io/rewrite-target': '/$1',
  'nginx.ingress.kubernetes.io/use-regex': 'true',
};
const ingressSpec = {
  ingressClassName: 'nginx',
  rules: [
    {
      http: {
        paths: [
          {
            backend: { service: { name: 'shop', port: { name: 'http' } } },
            path: '/default/shop/(a(?:/.*)?)$',
            pathType: 'ImplementationSpecific',
          },
        ],
      },
    },
  ],
};
export const ingressWants = { metadata: { ...metadata, annotations }, spec: ingressSpec };

export const containerAppIngress = (over: Override<KubeObject> = {}): KubeObject =>
  merge(
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: {
        ...metadata,
        name: 'shop-0123456789abcdef',
        namespace: 'default',
        uid: 'fd63bf6a-cd90-401f-87b2-33f314a6def6',
        resourceVersion: '273',
        generation: 1,
        creationTimestamp: createdAt,
        annotations,
        managedFields: [
          ourEntry('networking.k8s.io/v1', {
            'f:metadata': {
              ...ownMetadata(containerAppUid, []),
              'f:annotations': fields(Object.keys(annotations)),
            },
            'f:spec': fields(['ingressClassName', 'rules']),
          }),
        ],
      },
      spec: ingressSpec,
      status: { loadBalancer: {} },
    },
    over,
  );

const autoscalerSpec = {
  maxReplicas: 3,
  metrics: [
    {
      resource: { name: 'cpu', target: { averageUtilization: 50, type: 'Utilization' } },
      type: 'Resource',
    },
  ],
  minReplicas: 1,
  scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' },
};
export const autoscalerWants = { metadata, spec: autoscalerSpec };

/** The API server keeps no generation for this type. */
export const containerAppAutoscaler = (over: Override<KubeObject> = {}): KubeObject =>
  merge(
    {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: {
        ...metadata,
        name: 'shop',
        namespace: 'default',
        uid: '9e50e20f-5a8a-4f50-8db8-4f85b356545b',
        resourceVersion: '271',
        creationTimestamp: createdAt,
        managedFields: [
          ourEntry('autoscaling/v2', {
            'f:metadata': ownMetadata(containerAppUid, []),
            'f:spec': {
              ...fields(['maxReplicas', 'metrics', 'minReplicas']),
              'f:scaleTargetRef': fields(['apiVersion', 'kind', 'name']),
            },
          }),
        ],
      },
      spec: autoscalerSpec,
      status: { currentMetrics: null, desiredReplicas: 0 },
    },
    over,
  );
