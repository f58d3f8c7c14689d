import fc from 'fast-check';
import { isMap } from '../../shared/canonical.ts';
import { present } from '../../shared/json.ts';
import { groupResource, type Json, type JsonObject } from '../../shared/kubernetes.ts';
import { subjects } from '../child-types/all-cases.ts';
import type { Subject } from '../child-types/cases.ts';
import { labels } from '../child-types/samples.ts';

/** The fields of a child in which two versions of a kind may differ. */
export interface Versions {
  readonly from: JsonObject;
  readonly to: JsonObject;
}

/** Pairs that are always tried, by type: each leaves something behind. */
const known: Readonly<Record<string, (body: JsonObject) => Versions>> = {
  'deployments.apps': (body) => ({
    from: put(body, [...podOf, 'serviceAccountName'], 'robot') as JsonObject,
    to: body,
  }),
  'daemonsets.apps': (body) => ({
    from: body,
    to: put(body, [...podOf, 'containers', '0', 'image'], 'nginx:latest') as JsonObject,
  }),
  'networkpolicies.networking.k8s.io': () => ({
    from: { spec: { podSelector: {} } },
    to: { spec: { podSelector: {}, egress: [{}] } },
  }),
  services: (body) => ({
    from: put(body, ['spec', 'clusterIP'], 'None') as JsonObject,
    to: body,
  }),
};

const podOf = ['spec', 'template', 'spec'];

export const knownVersionsOf = ({ type, body }: Subject): readonly Versions[] =>
  [known[groupResource(type)] ?? []].flat().map((of) => of(body as JsonObject));

/** The values that a version may set at a path; it may also omit the field. */
type Choices = Readonly<Record<string, readonly Json[]>>;

const under = (path: string, choices: Choices): Choices =>
  Object.fromEntries(Object.entries(choices).map(([name, values]) => [`${path}.${name}`, values]));

const ofContainer: Choices = {
  image: ['nginx:1', 'nginx', 'nginx:latest'],
  imagePullPolicy: ['Never', 'Always'],
  command: [['run']],
  env: [
    [{ name: 'A', value: '' }],
    [{ name: 'A', value: 'x' }],
    [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
    [{ name: 'A', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }],
  ],
  livenessProbe: [
    { httpGet: { port: 80 } },
    { httpGet: { port: 80, path: '/live', scheme: 'HTTPS' }, periodSeconds: 3 },
    { tcpSocket: { port: 80 }, timeoutSeconds: 2 },
    { exec: { command: ['true'] } },
    { grpc: { port: 80 } },
  ],
  lifecycle: [
    { preStop: { sleep: { seconds: 1 } } },
    { preStop: { exec: { command: ['true'] } } },
    { preStop: { httpGet: { port: 80 } } },
  ],
  resources: [
    {},
    { limits: { cpu: '1', memory: '1Gi' } },
    { limits: { memory: '2Gi' }, requests: { memory: '1Gi' } },
    { requests: { cpu: '100m' } },
  ],
  ports: [
    [{ containerPort: 80 }],
    [{ containerPort: 80, hostPort: 80 }],
    [{ containerPort: 80, name: 'http', protocol: 'TCP' }],
    [{ containerPort: 80, protocol: 'UDP' }],
  ],
  securityContext: [
    { runAsUser: 1 },
    { privileged: true },
    { capabilities: { drop: ['ALL'] }, seccompProfile: { type: 'RuntimeDefault' } },
    { seccompProfile: { type: 'Localhost', localhostProfile: 'p' }, procMount: 'Default' },
  ],
  terminationMessagePolicy: ['FallbackToLogsOnError'],
  terminationMessagePath: ['/log'],
  volumeMounts: [[{ name: 'data', mountPath: '/data' }]],
  stdin: [true],
};

const ofPod: Choices = {
  ...under('containers.0', ofContainer),
  serviceAccountName: ['robot', 'other'],
  automountServiceAccountToken: [false],
  hostNetwork: [true],
  hostPID: [true],
  dnsPolicy: ['Default', 'ClusterFirstWithHostNet'],
  terminationGracePeriodSeconds: [5],
  enableServiceLinks: [false],
  priorityClassName: ['system-node-critical'],
  nodeSelector: [{ a: 'b' }],
  hostAliases: [[{ ip: '192.0.2.1', hostnames: ['a'] }]],
  schedulerName: ['other'],
  shareProcessNamespace: [true],
  runtimeClassName: ['kata'],
  setHostnameAsFQDN: [true],
  imagePullSecrets: [[{ name: 's' }]],
  securityContext: [
    {},
    { runAsNonRoot: true, runAsUser: 1 },
    { fsGroup: 1, fsGroupChangePolicy: 'OnRootMismatch' },
    { seccompProfile: { type: 'RuntimeDefault' } },
  ],
  tolerations: [[{ operator: 'Exists' }], [{ key: 'a', effect: 'NoSchedule' }]],
  topologySpreadConstraints: [
    [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule', labelSelector: {} }],
    [
      {
        maxSkew: 2,
        topologyKey: 'zone',
        whenUnsatisfiable: 'DoNotSchedule',
        nodeTaintsPolicy: 'Honor',
        minDomains: 2,
      },
    ],
  ],
  initContainers: [
    [{ name: 'init', image: 'busybox' }],
    [{ name: 'init', image: 'busybox:1', restartPolicy: 'Always' }],
  ],
  volumes: [
    [{ name: 'data' }],
    [{ name: 'data', emptyDir: { medium: 'Memory' } }],
    [{ name: 'data', configMap: { name: 'c' } }],
    [{ name: 'data', secret: { secretName: 's', defaultMode: 256 } }],
    [{ name: 'data', hostPath: { path: '/a' } }],
    [{ name: 'data', hostPath: { path: '/a', type: 'Directory' } }],
    [
      {
        name: 'data',
        projected: {
          sources: [{ serviceAccountToken: { path: 't' } }, { configMap: { name: 'c' } }],
        },
      },
    ],
    [
      {
        name: 'data',
        downwardAPI: { items: [{ path: 'a', fieldRef: { fieldPath: 'metadata.name' } }] },
      },
    ],
    [{ name: 'data', iscsi: { targetPortal: 'a', iqn: 'iqn.2020-01.a:b', lun: 0 } }],
    [{ name: 'data', csi: { driver: 'a.example.org' } }],
    [
      {
        name: 'data',
        ephemeral: {
          volumeClaimTemplate: {
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
          },
        },
      },
    ],
  ],
  affinity: [
    {
      podAntiAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: [
          { topologyKey: 'zone', labelSelector: { matchLabels: labels } },
        ],
      },
    },
  ],
};

const ofTemplate: Choices = {
  ...under('spec.template.spec', ofPod),
  'spec.template.metadata.annotations': [{ a: 'b' }],
};

const ofJob = (path: string): Choices =>
  under(path, {
    parallelism: [2],
    completions: [2],
    completionMode: ['Indexed', 'NonIndexed'],
    backoffLimit: [1],
    backoffLimitPerIndex: [1],
    activeDeadlineSeconds: [60],
    ttlSecondsAfterFinished: [60],
    suspend: [true],
    podReplacementPolicy: ['Failed'],
    podFailurePolicy: [
      { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] },
    ],
    'template.spec.restartPolicy': ['Never', 'OnFailure'],
  });

const target = (type: string, value: Json): JsonObject => ({
  type: 'Resource',
  resource: { name: 'cpu', target: { type, ...(value as JsonObject) } },
});

const ofType: Readonly<Record<string, Choices>> = {
  'deployments.apps': {
    ...ofTemplate,
    'spec.replicas': [1, 3],
    'spec.minReadySeconds': [5],
    'spec.revisionHistoryLimit': [1],
    'spec.progressDeadlineSeconds': [60],
    'spec.paused': [true],
    'spec.strategy': [
      { type: 'Recreate' },
      { type: 'RollingUpdate' },
      { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
      { rollingUpdate: { maxUnavailable: 0 } },
      { rollingUpdate: { maxSurge: 0 } },
    ],
  },
  'statefulsets.apps': {
    ...ofTemplate,
    'spec.replicas': [1, 3],
    'spec.minReadySeconds': [5],
    'spec.podManagementPolicy': ['Parallel'],
    'spec.ordinals': [{ start: 1 }],
    'spec.updateStrategy': [
      { type: 'OnDelete' },
      { type: 'RollingUpdate' },
      { rollingUpdate: { partition: 2 } },
      { type: 'RollingUpdate', rollingUpdate: { partition: 1 } },
    ],
    'spec.persistentVolumeClaimRetentionPolicy': [
      { whenDeleted: 'Delete' },
      { whenDeleted: 'Delete', whenScaled: 'Delete' },
    ],
  },
  'daemonsets.apps': {
    ...ofTemplate,
    'spec.minReadySeconds': [5],
    'spec.revisionHistoryLimit': [1],
    'spec.updateStrategy': [
      { type: 'OnDelete' },
      { rollingUpdate: { maxUnavailable: 2 } },
      { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
    ],
  },
  'jobs.batch': { ...ofTemplate, ...ofJob('spec') },
  'cronjobs.batch': {
    ...under('spec.jobTemplate', ofTemplate),
    ...ofJob('spec.jobTemplate.spec'),
    'spec.concurrencyPolicy': ['Forbid', 'Replace'],
    'spec.timeZone': ['Etc/UTC'],
    'spec.suspend': [true],
    'spec.startingDeadlineSeconds': [60],
    'spec.successfulJobsHistoryLimit': [0],
  },
  pods: under('spec', ofPod),
  services: {
    'spec.type': ['ClusterIP', 'NodePort', 'LoadBalancer', 'ExternalName'],
    'spec.externalName': ['a.example.org'],
    'spec.clusterIP': ['None', '10.96.7.7'],
    'spec.selector': [{ app: 'other' }, {}],
    'spec.sessionAffinity': ['ClientIP', 'None'],
    'spec.sessionAffinityConfig': [{ clientIP: { timeoutSeconds: 60 } }],
    'spec.externalTrafficPolicy': ['Local', 'Cluster'],
    'spec.internalTrafficPolicy': ['Local', 'Cluster'],
    'spec.ipFamilyPolicy': ['SingleStack', 'PreferDualStack'],
    'spec.ipFamilies': [['IPv4']],
    'spec.publishNotReadyAddresses': [true],
    'spec.externalIPs': [['192.0.2.1']],
    'spec.loadBalancerSourceRanges': [['192.0.2.0/24']],
    'spec.loadBalancerClass': ['a.example.org/b'],
    'spec.allocateLoadBalancerNodePorts': [false],
    'spec.healthCheckNodePort': [31_999],
    'spec.trafficDistribution': ['PreferClose'],
    'spec.ports': [
      [{ port: 80 }],
      [{ port: 80, targetPort: 8080 }],
      [{ port: 81 }],
      [{ port: 80, protocol: 'UDP' }],
      [{ port: 80, nodePort: 31_998 }],
      [{ port: 80, name: 'http', appProtocol: 'http' }],
      [
        { port: 80, name: 'http' },
        { port: 443, name: 'https', targetPort: 'tls' },
      ],
    ],
  },
  'networkpolicies.networking.k8s.io': {
    'spec.policyTypes': [['Ingress'], ['Egress'], ['Ingress', 'Egress']],
    'spec.podSelector': [{}, { matchLabels: labels }],
    'spec.ingress': [[], [{}], [{ ports: [{ port: 80 }] }]],
    'spec.egress': [
      [],
      [{}],
      [{ to: [{ podSelector: {} }], ports: [{ port: 53, protocol: 'UDP' }] }],
    ],
  },
  'ingresses.networking.k8s.io': {
    'spec.ingressClassName': ['nginx', 'other'],
    'spec.tls': [[{ hosts: ['a.example.org'], secretName: 's' }]],
    'spec.defaultBackend': [
      { service: { name: 'a', port: { number: 80 } } },
      { service: { name: 'a', port: { name: 'http' } } },
      { resource: { apiGroup: 'a.example.org', kind: 'Bucket', name: 'b' } },
    ],
  },
  'horizontalpodautoscalers.autoscaling': {
    'spec.minReplicas': [1, 2],
    'spec.maxReplicas': [3, 5],
    'spec.metrics': [
      [target('Utilization', { averageUtilization: 50 })],
      [target('AverageValue', { averageValue: '1' })],
    ],
    'spec.behavior': [
      { scaleDown: { stabilizationWindowSeconds: 60 } },
      { scaleUp: { policies: [{ type: 'Pods', value: 1, periodSeconds: 60 }] } },
      { scaleUp: { selectPolicy: 'Disabled' }, scaleDown: { selectPolicy: 'Min' } },
    ],
  },
  'poddisruptionbudgets.policy': {
    'spec.minAvailable': [1, '50%'],
    'spec.maxUnavailable': [1, '10%'],
    'spec.selector': [{}, { matchLabels: labels }],
    'spec.unhealthyPodEvictionPolicy': ['AlwaysAllow'],
  },
  limitranges: {
    'spec.limits': [
      [{ type: 'Container', max: { cpu: '2' } }],
      [{ type: 'Container', max: { cpu: '2' }, default: { cpu: '1' } }],
      [{ type: 'Container', min: { cpu: '1' } }],
      [{ type: 'Pod', max: { memory: '1Gi' } }],
    ],
  },
  resourcequotas: {
    'spec.hard': [{ pods: 1 }, { 'requests.cpu': '0.5', pods: '2' }],
    'spec.scopes': [['BestEffort']],
  },
  configmaps: {
    data: [{ a: '1' }, { a: '', b: '2' }],
    binaryData: [{ c: 'MQ==' }],
    immutable: [true, false],
  },
  secrets: {
    data: [{ a: 'MQ==' }, { b: 'Mg==' }],
    type: ['Opaque', 'example.org/other'],
    immutable: [true, false],
  },
  serviceaccounts: {
    automountServiceAccountToken: [true, false],
    imagePullSecrets: [[{ name: 's' }]],
    secrets: [[{ name: 's' }]],
  },
  persistentvolumeclaims: {
    'spec.accessModes': [['ReadWriteOnce'], ['ReadWriteMany']],
    'spec.storageClassName': ['standard', ''],
    'spec.volumeMode': ['Block', 'Filesystem'],
    'spec.resources.limits': [{ storage: '3Gi' }],
    'spec.volumeName': ['v'],
    'spec.dataSource': [{ kind: 'PersistentVolumeClaim', name: 'other' }],
    'spec.dataSourceRef': [{ kind: 'PersistentVolumeClaim', name: 'other' }],
  },
  'endpointslices.discovery.k8s.io': {
    endpoints: [
      [{ addresses: ['192.0.2.1'] }],
      [{ addresses: ['192.0.2.2'], conditions: { ready: false }, hostname: 'a' }],
    ],
    ports: [
      [{ port: 80 }],
      [{ port: 80, name: 'http', protocol: 'UDP' }],
      [{ name: 'http', appProtocol: 'http' }],
    ],
  },
  'leases.coordination.k8s.io': {
    'spec.holderIdentity': ['a', 'b'],
    'spec.leaseDurationSeconds': [5, 15],
    'spec.leaseTransitions': [1],
    'spec.strategy': ['OldestEmulationVersion'],
  },
  'roles.rbac.authorization.k8s.io': {
    rules: [[], [{ apiGroups: [''], resources: ['pods'], verbs: ['get'], resourceNames: ['a'] }]],
  },
  'clusterroles.rbac.authorization.k8s.io': {
    rules: [[], [{ nonResourceURLs: ['/a'], verbs: ['get'] }]],
    aggregationRule: [{ clusterRoleSelectors: [{ matchLabels: labels }] }],
  },
  'rolebindings.rbac.authorization.k8s.io': {
    subjects: [[], [{ kind: 'User', name: 'b' }], [{ kind: 'ServiceAccount', name: 'c' }]],
    'roleRef.apiGroup': ['rbac.authorization.k8s.io'],
  },
  'clusterrolebindings.rbac.authorization.k8s.io': {
    subjects: [[], [{ kind: 'Group', name: 'b' }]],
    'roleRef.apiGroup': ['rbac.authorization.k8s.io'],
  },
  'resourceclaims.resource.k8s.io': {
    'spec.devices.constraints': [[{ matchAttribute: 'example.org/a' }]],
  },
  'resourceclaimtemplates.resource.k8s.io': {
    'spec.metadata.labels': [labels],
    'spec.spec.devices.constraints': [[{ matchAttribute: 'example.org/a' }]],
  },
  'priorityclasses.scheduling.k8s.io': {
    value: [7, 8],
    description: ['a', ''],
    globalDefault: [false],
    preemptionPolicy: ['Never', 'PreemptLowerPriority'],
  },
  'storageclasses.storage.k8s.io': {
    allowVolumeExpansion: [true, false],
    reclaimPolicy: ['Retain', 'Delete'],
    volumeBindingMode: ['WaitForFirstConsumer', 'Immediate'],
    mountOptions: [['a']],
    parameters: [{ a: 'b' }],
    allowedTopologies: [[{ matchLabelExpressions: [{ key: 'zone', values: ['a'] }] }]],
  },
};

/** The types whose versions differ in more than labels. */
export const versioned: readonly Subject[] = subjects.filter(
  ({ type }) => ofType[groupResource(type)] !== undefined,
);

/** Generates pairs of versions that share some choices and differ in one to three fields. */
export function versionsOf({ type, body }: Subject): fc.Arbitrary<Versions> {
  const choices = Object.entries(ofType[groupResource(type)] ?? {});
  const change = fc.constantFrom(...choices).chain(([path, values]) => {
    const value = fc.option(fc.constantFrom(...values), { nil: undefined });
    return fc.record({ path: fc.constant(path), from: value, to: value });
  });
  const shared = fc.array(
    change.map(({ path, to }) => ({ path, from: to, to })),
    { maxLength: 3 },
  );
  const different = fc.array(change, { minLength: 1, maxLength: 3 });
  return fc.tuple(shared, different).map((changes) => {
    const made = (side: 'from' | 'to'): JsonObject =>
      changes
        .flat()
        .reduce<Json>(
          (of, { path, [side]: value }) => put(of, path.split('.'), value),
          body as Json,
        ) as JsonObject;
    return { from: made('from'), to: made('to') };
  });
}

function put(
  object: Json | undefined,
  [step = '', ...rest]: readonly string[],
  value: Json | undefined,
): Json {
  if (Array.isArray(object))
    return object.map((item: Json, at) => (String(at) === step ? put(item, rest, value) : item));
  const { [step]: inner, ...others } = isMap(object) ? object : {};
  if (rest.length > 0 && inner === undefined && value === undefined) return object ?? {};
  const next = rest.length > 0 ? put(inner, rest, value) : value;
  return { ...others, ...present({ [step]: next }) };
}
