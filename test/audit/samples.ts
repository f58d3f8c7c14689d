/** Builders of GKE audit entries and audit Events; every field can be overridden. */

type Fields = Record<string, unknown>;

const activity = 'projects/demo/logs/cloudaudit.googleapis.com%2Factivity';

interface EntrySample {
  readonly method: string;
  readonly resource: string;
  readonly user?: string;
  readonly userAgent?: string;
  readonly status?: unknown;
  readonly payload?: Fields;
  readonly entry?: Fields;
}

export const logEntry = ({ method, resource, user, userAgent, ...more }: EntrySample): Fields => ({
  insertId: 'id-1',
  logName: activity,
  operation: { id: 'id-1', producer: 'k8s.io', first: true, last: true },
  resource: {
    type: 'k8s_cluster',
    labels: { project_id: 'demo', location: 'us-central1', cluster_name: 'main' },
  },
  timestamp: '2026-11-20T20:19:26.819Z',
  protoPayload: {
    '@type': 'type.googleapis.com/google.cloud.audit.AuditLog',
    serviceName: 'k8s.io',
    methodName: method,
    resourceName: resource,
    authenticationInfo: { principalEmail: user ?? 'jane@example.com' },
    requestMetadata: {
      callerIp: '203.0.113.7',
      ...(userAgent === undefined ? {} : { callerSuppliedUserAgent: userAgent }),
    },
    ...('status' in more ? { status: more.status } : {}),
    ...more.payload,
  },
  ...more.entry,
});

/** The samples S1 to S9, each with a shape from a real log. */
export const samples = {
  customResourceCreate: logEntry({
    method: 'com.coreos.database.etcd.v1beta2.etcdbackups.create',
    resource: 'etcd.database.coreos.com/v1beta2/namespaces/test-ns/etcdbackups',
    user: 'system:serviceaccount:test-ns:test-sa',
    entry: { insertId: '230ba8alnweli', labels: { cluster_version: '1.9' } },
  }),
  podByController: logEntry({
    method: 'io.k8s.core.v1.pods.create',
    resource: 'core/v1/namespaces/default/pods/foo-7d4b-x2k4q',
    user: 'system:serviceaccount:kube-system:replicaset-controller',
    status: { code: 0 },
    payload: {
      request: { '@type': 'core.k8s.io/v1.Pod', metadata: { generateName: 'foo-7d4b-' } },
    },
  }),
  podStatusByKubelet: logEntry({
    method: 'io.k8s.core.v1.pods.status.patch',
    resource: 'core/v1/namespaces/default/pods/foo/status',
    user: 'system:node:gke-sample-cluster-default-abcdefgh-abcd',
    status: { code: 0 },
    payload: { request: { '@type': 'k8s.io/Patch' } },
  }),
  podDenied: logEntry({
    method: 'io.k8s.core.v1.pods.create',
    resource: 'core/v1/namespaces/default/pods',
    status: { code: 3, message: 'denied by policy' },
  }),
  deploymentPatch: logEntry({
    method: 'io.k8s.apps.v1.deployments.patch',
    resource: 'apps/v1/namespaces/default/deployments/foo',
    userAgent: 'kubectl-edit/v1.31.0',
    status: { code: 0 },
  }),
  lease: logEntry({
    method: 'io.k8s.coordination.v1.leases.update',
    resource: 'coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler',
    user: 'system:kube-scheduler',
  }),
  deploymentScale: logEntry({
    method: 'io.k8s.apps.v1.deployments.scale.update',
    resource: 'apps/v1/namespaces/kube-system/deployments/coredns/scale',
  }),
  nodesRead: logEntry({
    method: 'io.k8s.core.v1.nodes.list',
    resource: 'core/v1/nodes',
    userAgent: 'GoogleCloudConsole',
    status: {},
    entry: { logName: 'projects/demo/logs/cloudaudit.googleapis.com%2Fdata_access' },
  }),
  podDryRun: logEntry({
    method: 'io.k8s.core.v1.pods.create',
    resource: 'core/v1/namespaces/default/pods/foo',
    entry: { labels: { 'command.gke.io/dryRun': 'All' } },
  }),
} as const;

/** Builds an Event as the kube-apiserver's audit webhook sends it at level Metadata. */
export const auditEvent = (override: Fields = {}): Fields => ({
  level: 'Metadata',
  auditID: 'b5b0e5a6-6b67-4c4a-9f0c-0f6d1c3f0a11',
  stage: 'ResponseComplete',
  requestURI: '/apis/apps/v1/namespaces/default/deployments/foo?fieldManager=kubectl-edit',
  verb: 'patch',
  user: { username: 'jane', groups: ['system:authenticated'] },
  sourceIPs: ['127.0.0.1'],
  userAgent: 'kubectl/v1.36.3',
  objectRef: {
    resource: 'deployments',
    namespace: 'default',
    name: 'foo',
    apiGroup: 'apps',
    apiVersion: 'v1',
  },
  responseStatus: { metadata: {}, code: 200 },
  requestReceivedTimestamp: '2026-11-20T20:19:26.819000Z',
  stageTimestamp: '2026-11-20T20:19:26.830000Z',
  annotations: { 'authorization.k8s.io/decision': 'allow', 'authorization.k8s.io/reason': '' },
  ...override,
});

export const eventList = (...items: readonly unknown[]): Fields => ({
  kind: 'EventList',
  apiVersion: 'audit.k8s.io/v1',
  metadata: {},
  items,
});

const deployments = { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments' };
const services = { group: '', version: 'v1', kind: 'Service', plural: 'services' };

/** Two kinds that share a child type. */
export const kinds = [
  { group: 'example.com', plural: 'foos', kind: 'Foo', owns: [deployments], refersTo: [] },
  {
    group: 'my.domain',
    plural: 'websites',
    kind: 'Website',
    owns: [deployments, services],
    refersTo: [],
  },
] as const;

export const childTypes = [deployments, services] as const;
