import { podTemplate } from './pods.ts';
import { filled, list, maybe, one, rarely, record, some } from './random.ts';

const labels = one({ app: 'web' }, { app: 'web' }, { app: 'web' }, { app: 'web', tier: 'a' });
const selector = one({ matchLabels: { app: 'web' } }, record({ matchLabels: labels }), {
  matchLabels: { app: 'web' },
});
const share = one(0, 1, '25%', '0%', '100%', '101%', 'some', -1);

export const deploymentSpec = record({
  replicas: maybe(one(0, 1, 2, 3, -1)),
  selector,
  template: podTemplate,
  strategy: rarely(
    3,
    one(
      { type: 'Recreate' },
      { type: 'RollingUpdate' },
      record({
        type: maybe('RollingUpdate'),
        rollingUpdate: record({ maxSurge: maybe(share), maxUnavailable: maybe(share) }),
      }),
      { type: 'Other' },
    ),
  ),
  minReadySeconds: rarely(5, one(0, 5, -1)),
  revisionHistoryLimit: rarely(5, one(0, 10, -1)),
  paused: rarely(5, one(true, false)),
  progressDeadlineSeconds: rarely(5, one(600, 5, 0)),
});

const claim = (name: string) =>
  record({
    metadata: record({ name, labels: rarely(4, { a: '1' }) }),
    spec: record({
      accessModes: one(['ReadWriteOnce'], ['ReadWriteOnce'], ['Other'], []),
      resources: { requests: record({ storage: one('1Gi', '1024Mi', '10240Mi', '0', '100m') }) },
      storageClassName: rarely(4, one('', 'fast')),
    }),
  });

export const statefulSetSpec = record({
  replicas: maybe(one(0, 1, 2, -1)),
  serviceName: one('web', 'web', 'web', 'other'),
  selector,
  template: podTemplate,
  volumeClaimTemplates: maybe(some(claim('data'), claim('v'))),
  podManagementPolicy: rarely(5, one('OrderedReady', 'Parallel', 'Other')),
  updateStrategy: rarely(
    4,
    one(
      { type: 'OnDelete' },
      { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
      { rollingUpdate: { partition: 0 } },
      { type: 'RollingUpdate' },
    ),
  ),
  persistentVolumeClaimRetentionPolicy: rarely(
    5,
    one({ whenDeleted: 'Delete' }, { whenDeleted: 'Retain', whenScaled: 'Delete' }, {}),
  ),
  minReadySeconds: rarely(6, one(0, 5)),
  revisionHistoryLimit: rarely(6, one(0, 10)),
  ordinals: rarely(8, one({ start: 1 }, { start: 0 }, {})),
});

const servicePort = (port: unknown, name: unknown) =>
  record({
    name: maybe(name),
    port,
    protocol: maybe(one('TCP', 'UDP')),
    targetPort: maybe(one(80, 8080, 'http', '8080', 0)),
    nodePort: rarely(4, one('{port.0}', '{port.1}', 1, 0)),
    appProtocol: rarely(8, one('http', 'kubernetes.io/h2c')),
  });

export const serviceSpec = record({
  type: maybe(one('ClusterIP', 'NodePort', 'NodePort', 'LoadBalancer', 'ExternalName', 'Other')),
  selector: maybe(one({ app: 'web' }, { app: 'other' }, {})),
  ports: one(
    list(1, 1, servicePort(80, 'http')),
    some(servicePort(80, 'http'), servicePort(81, 'admin')),
    some(servicePort(80, 'http'), servicePort(one(80, 81, 0), one('http', 'dns', 'Bad_Name'))),
  ),
  clusterIP: rarely(6, one('None', 'None', '', 'nothing')),
  externalName: rarely(8, one('example.com', '')),
  sessionAffinity: rarely(5, one('None', 'ClientIP', 'Other')),
  sessionAffinityConfig: rarely(8, one({ clientIP: { timeoutSeconds: 5 } }, {})),
  externalTrafficPolicy: rarely(6, one('Local', 'Cluster', 'Other')),
  ipFamilyPolicy: rarely(8, 'SingleStack'),
  publishNotReadyAddresses: rarely(6, one(true, false)),
  externalIPs: rarely(8, one(['1.2.3.4'], [], ['1.2.3.4', 'nothing'])),
  allocateLoadBalancerNodePorts: rarely(10, one(true, false)),
});

const text = one('1', '2', '');
const data = one('MQ==', 'Mg==', '', 'MQ', '!', 'MQ==\n');

// Never sets `immutable`, because the local server cannot tell an empty map from an absent one there.
export const secretContent = record({
  type: rarely(
    4,
    one('Opaque', 'Opaque', 'kubernetes.io/dockerconfigjson', 'kubernetes.io/tls', 'own.example'),
  ),
  data: maybe(
    filled({
      a: maybe(data),
      b: maybe(data),
      '.dockerconfigjson': rarely(5, one('e30=', 'MQ==', 'e3=', 'eyJhdXRocyI6e319', 'bm9uZQ==')),
      'tls.crt': rarely(8, one('MQ==', '')),
      'tls.key': rarely(8, one('MQ==', '')),
      'bad key': rarely(12, 'MQ=='),
    }),
  ),
  stringData: rarely(3, filled({ a: maybe(text), c: maybe(text) })),
  immutable: rarely(8, false),
});

export const configMapContent = record({
  data: maybe(filled({ a: maybe(text), b: maybe(text), 'bad key': rarely(12, '1') })),
  binaryData: rarely(4, filled({ c: maybe(data), a: rarely(6, data) })),
  immutable: rarely(8, false),
});

const target = record({
  type: one('Utilization', 'AverageValue', 'Value', 'Other'),
  averageUtilization: maybe(one(50, 80, 0)),
  averageValue: rarely(3, one('100m', '1', '0.5')),
});
const metric = one(
  record({ type: 'Resource', resource: record({ name: one('cpu', 'memory'), target }) }),
  {
    type: 'Resource',
    resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
  },
  { type: 'Other' },
);
const scaling = record({
  stabilizationWindowSeconds: maybe(one(0, 60, 3600, 3601, -1)),
  selectPolicy: rarely(3, one('Max', 'Min', 'Disabled', 'Other')),
  policies: maybe(
    list(
      1,
      2,
      record({ type: one('Pods', 'Percent'), value: one(1, 10, 0), periodSeconds: one(15, 60, 0) }),
    ),
  ),
});

export const autoscalerSpec = record({
  scaleTargetRef: one(
    { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
    { apiVersion: 'apps/v1', kind: 'Deployment', name: 'other' },
    record({ kind: maybe('Deployment'), name: maybe('web') }),
  ),
  minReplicas: maybe(one(1, 2, 3, 0)),
  maxReplicas: one(3, 5, 1, 0),
  metrics: maybe(list(0, 2, metric)),
  behavior: rarely(4, record({ scaleDown: maybe(scaling), scaleUp: maybe(scaling) })),
});

const backend = one(
  { service: { name: 'web', port: { number: 80 } } },
  { service: { name: 'web', port: { name: 'http' } } },
  { service: { name: 'web', port: { number: 0 } } },
  { service: { name: 'Bad_Name', port: { number: 80, name: 'http' } } },
  { resource: { apiGroup: 'example.com', kind: 'Bucket', name: 'x' } },
);
const path = record({
  path: maybe(one('/', '/a', '/b', 'a', '/a//b', '/a/../b')),
  pathType: one('Prefix', 'Prefix', 'Exact', 'ImplementationSpecific', 'Other'),
  backend: one(backend, { service: { name: 'web', port: { number: 80 } } }),
});

export const ingressSpec = record({
  ingressClassName: maybe(one('nginx', 'other', 'Bad_Name')),
  rules: maybe(
    list(
      0,
      2,
      record({
        host: maybe(one('example.com', '*.example.com', 'Bad_Host', '1.2.3.4')),
        http: maybe(record({ paths: list(1, 2, path) })),
      }),
    ),
  ),
  defaultBackend: rarely(3, backend),
  tls: rarely(
    4,
    list(0, 2, record({ hosts: maybe(some('example.com', 'Bad_Host')), secretName: maybe('x') })),
  ),
});
