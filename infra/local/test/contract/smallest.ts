import { podTemplate } from './objects.ts';

interface Smallest {
  /** Of its collection. */
  readonly path: string;
  readonly object: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly metadata: { readonly name: string };
    readonly [field: string]: unknown;
  };
}

/** Builds the smallest manifest of a kind; a cluster-scoped one is named after its case. */
function smallest(path: string, kind: string, fields: object, name?: string): Smallest {
  const [, root, ...parts] = path.split('/');
  const apiVersion = root === 'api' ? (parts[0] ?? '') : `${parts[0]}/${parts[1]}`;
  const isNamespaced = path.includes('/namespaces/');
  const metadata = { name: name ?? (isNamespaced ? 'x' : '{ns}') };
  return { path, object: { apiVersion, kind, metadata, ...fields } };
}

const core = '/api/v1';
const inCore = `${core}/namespaces/{ns}`;
const admission = '/apis/admissionregistration.k8s.io/v1';
const apps = '/apis/apps/v1/namespaces/{ns}';
const batch = '/apis/batch/v1/namespaces/{ns}';
const networking = '/apis/networking.k8s.io/v1';
const storage = '/apis/storage.k8s.io/v1';
const devices = '/apis/resource.k8s.io/v1';
const flow = '/apis/flowcontrol.apiserver.k8s.io/v1';

const selector = { matchLabels: { app: 'web' } };
const matchConstraints = {
  resourceRules: [
    { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] },
  ],
};
const onceTemplate = {
  metadata: { labels: { app: 'web' } },
  spec: { restartPolicy: 'Never', containers: podTemplate().spec.containers },
};
const deviceRequest = {
  devices: { requests: [{ name: 'one', exactly: { deviceClassName: 'any' } }] },
};

/** Covers every built-in kind that has no strategy of its own, or a small one. */
export const smallestObjects: readonly Smallest[] = [
  smallest(`${inCore}/endpoints`, 'Endpoints', {}),
  smallest(`${inCore}/limitranges`, 'LimitRange', { spec: { limits: [{ type: 'Container' }] } }),
  smallest(`${core}/nodes`, 'Node', {}),
  smallest(`${core}/persistentvolumes`, 'PersistentVolume', {
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '1024Mi' },
      hostPath: { path: '/x' },
      storageClassName: 'none',
    },
  }),
  smallest(`${inCore}/podtemplates`, 'PodTemplate', { template: podTemplate() }),
  smallest(`${inCore}/replicationcontrollers`, 'ReplicationController', {
    spec: { replicas: 0, selector: { app: 'web' }, template: podTemplate() },
  }),
  smallest(`${inCore}/resourcequotas`, 'ResourceQuota', { spec: { hard: { pods: '1000m' } } }),
  smallest(
    '/apis/apiregistration.k8s.io/v1/apiservices',
    'APIService',
    {
      spec: {
        group: '{ns}.example.com',
        version: 'v1',
        groupPriorityMinimum: 10,
        versionPriority: 10,
        service: { namespace: '{ns}', name: 'none' },
      },
    },
    'v1.{ns}.example.com',
  ),
  smallest(`${apps}/controllerrevisions`, 'ControllerRevision', { revision: 1, data: { a: 1 } }),
  smallest(`${apps}/daemonsets`, 'DaemonSet', {
    spec: {
      selector,
      template: { ...podTemplate(), spec: { ...podTemplate().spec, nodeSelector: { no: 'node' } } },
    },
  }),
  smallest(`${batch}/cronjobs`, 'CronJob', {
    spec: { schedule: '0 0 1 1 *', jobTemplate: { spec: { template: onceTemplate } } },
  }),
  smallest(`${networking}/ingressclasses`, 'IngressClass', {
    spec: { controller: 'example.com/controller' },
  }),
  smallest(
    `${networking}/ipaddresses`,
    'IPAddress',
    { spec: { parentRef: { resource: 'services', namespace: '{ns}', name: 'none' } } },
    '203.0.113.7',
  ),
  smallest(`${networking}/namespaces/{ns}/networkpolicies`, 'NetworkPolicy', {
    spec: { podSelector: {} },
  }),
  smallest(`${networking}/servicecidrs`, 'ServiceCIDR', { spec: { cidrs: ['203.0.113.0/24'] } }),
  smallest('/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets', 'PodDisruptionBudget', {
    spec: { minAvailable: 1, selector },
  }),
  smallest(`${storage}/csidrivers`, 'CSIDriver', { spec: {} }),
  smallest(`${storage}/csinodes`, 'CSINode', { spec: { drivers: [] } }),
  smallest(`${storage}/namespaces/{ns}/csistoragecapacities`, 'CSIStorageCapacity', {
    storageClassName: 'none',
  }),
  smallest(`${storage}/storageclasses`, 'StorageClass', { provisioner: 'example.com/none' }),
  smallest(`${storage}/volumeattachments`, 'VolumeAttachment', {
    spec: { attacher: 'none', nodeName: 'none', source: { persistentVolumeName: 'none' } },
  }),
  smallest(`${storage}/volumeattributesclasses`, 'VolumeAttributesClass', {
    driverName: 'example.com',
    parameters: { a: '1' },
  }),
  smallest(`${admission}/mutatingadmissionpolicies`, 'MutatingAdmissionPolicy', {
    spec: {
      matchConstraints,
      reinvocationPolicy: 'Never',
      mutations: [
        {
          patchType: 'JSONPatch',
          jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/x"}]' },
        },
      ],
    },
  }),
  smallest(`${admission}/mutatingadmissionpolicybindings`, 'MutatingAdmissionPolicyBinding', {
    spec: { policyName: 'none' },
  }),
  smallest(`${admission}/mutatingwebhookconfigurations`, 'MutatingWebhookConfiguration', {}),
  smallest(`${admission}/validatingadmissionpolicies`, 'ValidatingAdmissionPolicy', {
    spec: {
      matchConstraints,
      validations: [{ expression: 'true' }],
    },
  }),
  smallest(`${admission}/validatingadmissionpolicybindings`, 'ValidatingAdmissionPolicyBinding', {
    spec: { policyName: 'none', validationActions: ['Audit'] },
  }),
  smallest(`${admission}/validatingwebhookconfigurations`, 'ValidatingWebhookConfiguration', {}),
  smallest('/apis/scheduling.k8s.io/v1/priorityclasses', 'PriorityClass', { value: 7 }),
  smallest('/apis/node.k8s.io/v1/runtimeclasses', 'RuntimeClass', { handler: 'none' }),
  smallest('/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices', 'EndpointSlice', {
    addressType: 'IPv4',
    endpoints: [],
  }),
  smallest(`${devices}/deviceclasses`, 'DeviceClass', { spec: {} }),
  smallest(`${devices}/namespaces/{ns}/resourceclaims`, 'ResourceClaim', { spec: deviceRequest }),
  smallest(`${devices}/namespaces/{ns}/resourceclaimtemplates`, 'ResourceClaimTemplate', {
    spec: { spec: deviceRequest },
  }),
  smallest(`${devices}/resourceslices`, 'ResourceSlice', {
    spec: {
      driver: 'example.com',
      allNodes: true,
      pool: { name: 'x', generation: 1, resourceSliceCount: 1 },
    },
  }),
  smallest(`${flow}/flowschemas`, 'FlowSchema', {
    spec: { priorityLevelConfiguration: { name: 'none' } },
  }),
  smallest(`${flow}/prioritylevelconfigurations`, 'PriorityLevelConfiguration', {
    spec: { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
  }),
];
