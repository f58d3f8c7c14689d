/** Schemas of types of Kubernetes v1.36.3. Written by `npm run generate:types`. */

import type { TUnsafe } from 'typebox';
import type * as api from '../shared/kinds/child-types/api-types.ts';
import * as rules from './rules.ts';
import { IntOrPercent, int32, portOrName, Quantity, targetPort } from './scalars.ts';

export const RollingUpdateDeployment = {
  type: 'object',
  properties: { maxSurge: IntOrPercent, maxUnavailable: IntOrPercent },
} as object as TUnsafe<api.RollingUpdateDeployment>;

export const DeploymentStrategy = {
  type: 'object',
  'x-kubernetes-validations': rules.deploymentStrategy,
  properties: {
    rollingUpdate: RollingUpdateDeployment,
    type: { enum: ['Recreate', 'RollingUpdate'], type: 'string' },
  },
} as object as TUnsafe<api.DeploymentStrategy>;

export const ObjectMeta = {
  type: 'object',
  properties: {
    annotations: {
      type: 'object',
      maxProperties: 32,
      'x-kubernetes-validations': rules.annotationKeys,
      additionalProperties: { type: 'string' },
    },
    finalizers: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    labels: {
      type: 'object',
      maxProperties: 32,
      'x-kubernetes-validations': rules.qualifiedKeys,
      additionalProperties: {
        type: 'string',
        pattern: '^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$',
      },
    },
  },
} as object as TUnsafe<api.ObjectMeta>;

export const NodeSelectorRequirement = {
  required: ['key', 'operator'],
  type: 'object',
  'x-kubernetes-validations': rules.nodeRequirement,
  properties: {
    key: {
      type: 'string',
      maxLength: 317,
      pattern:
        '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$',
    },
    operator: { enum: ['DoesNotExist', 'Exists', 'Gt', 'In', 'Lt', 'NotIn'], type: 'string' },
    values: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      maxItems: 256,
      items: { type: 'string' },
    },
  },
} as object as TUnsafe<api.NodeSelectorRequirement>;

export const NodeSelectorTerm = {
  type: 'object',
  'x-kubernetes-map-type': 'atomic',
  properties: {
    matchExpressions: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      maxItems: 64,
      items: NodeSelectorRequirement,
    },
    matchFields: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      maxItems: 64,
      items: NodeSelectorRequirement,
    },
  },
} as object as TUnsafe<api.NodeSelectorTerm>;

export const PreferredSchedulingTerm = {
  required: ['weight', 'preference'],
  type: 'object',
  properties: {
    preference: NodeSelectorTerm,
    weight: { type: 'integer', minimum: 1, maximum: 100 },
  },
} as object as TUnsafe<api.PreferredSchedulingTerm>;

export const NodeSelector = {
  required: ['nodeSelectorTerms'],
  type: 'object',
  'x-kubernetes-map-type': 'atomic',
  properties: {
    nodeSelectorTerms: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      minItems: 1,
      maxItems: 64,
      items: NodeSelectorTerm,
    },
  },
} as object as TUnsafe<api.NodeSelector>;

export const NodeAffinity = {
  type: 'object',
  properties: {
    preferredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      maxItems: 64,
      items: PreferredSchedulingTerm,
    },
    requiredDuringSchedulingIgnoredDuringExecution: NodeSelector,
  },
} as object as TUnsafe<api.NodeAffinity>;

export const LabelSelectorRequirement = {
  required: ['key', 'operator'],
  type: 'object',
  'x-kubernetes-validations': rules.requirement,
  properties: {
    key: {
      type: 'string',
      maxLength: 317,
      pattern:
        '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$',
    },
    operator: { type: 'string', enum: ['DoesNotExist', 'Exists', 'In', 'NotIn'] },
    values: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      maxItems: 256,
      items: { type: 'string', pattern: '^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$' },
    },
  },
} as object as TUnsafe<api.LabelSelectorRequirement>;

export const LabelSelector = {
  type: 'object',
  'x-kubernetes-map-type': 'atomic',
  properties: {
    matchExpressions: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      maxItems: 64,
      items: LabelSelectorRequirement,
    },
    matchLabels: {
      type: 'object',
      maxProperties: 32,
      'x-kubernetes-validations': rules.qualifiedKeys,
      additionalProperties: {
        type: 'string',
        pattern: '^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$',
      },
    },
  },
} as object as TUnsafe<api.LabelSelector>;

export const PodAffinityTerm = {
  required: ['topologyKey'],
  type: 'object',
  properties: {
    labelSelector: LabelSelector,
    matchLabelKeys: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      items: { type: 'string' },
    },
    mismatchLabelKeys: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      items: { type: 'string' },
    },
    namespaceSelector: LabelSelector,
    namespaces: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      items: { type: 'string', maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' },
    },
    topologyKey: {
      type: 'string',
      maxLength: 317,
      pattern:
        '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$',
    },
  },
} as object as TUnsafe<api.PodAffinityTerm>;

export const WeightedPodAffinityTerm = {
  required: ['weight', 'podAffinityTerm'],
  type: 'object',
  properties: {
    podAffinityTerm: PodAffinityTerm,
    weight: { type: 'integer', minimum: 1, maximum: 100 },
  },
} as object as TUnsafe<api.WeightedPodAffinityTerm>;

export const PodAffinity = {
  type: 'object',
  properties: {
    preferredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      maxItems: 64,
      items: WeightedPodAffinityTerm,
    },
    requiredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      maxItems: 64,
      items: PodAffinityTerm,
    },
  },
} as object as TUnsafe<api.PodAffinity>;

export const PodAntiAffinity = {
  type: 'object',
  properties: {
    preferredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      maxItems: 64,
      items: WeightedPodAffinityTerm,
    },
    requiredDuringSchedulingIgnoredDuringExecution: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      maxItems: 64,
      items: PodAffinityTerm,
    },
  },
} as object as TUnsafe<api.PodAntiAffinity>;

export const Affinity = {
  type: 'object',
  properties: {
    nodeAffinity: NodeAffinity,
    podAffinity: PodAffinity,
    podAntiAffinity: PodAntiAffinity,
  },
} as object as TUnsafe<api.Affinity>;

export const ConfigMapKeySelector = {
  required: ['key', 'name'],
  type: 'object',
  'x-kubernetes-map-type': 'atomic',
  properties: {
    key: { type: 'string', maxLength: 253, pattern: '^[-._a-zA-Z0-9]+$' },
    name: { type: 'string', minLength: 1 },
    optional: { type: 'boolean' },
  },
} as object as TUnsafe<api.ConfigMapKeySelector & { readonly name: string }>;

export const ObjectFieldSelector = {
  required: ['fieldPath'],
  type: 'object',
  'x-kubernetes-map-type': 'atomic',
  properties: {
    apiVersion: { type: 'string' },
    fieldPath: {
      type: 'string',
      pattern:
        "^(metadata\\.(name|namespace|uid|(labels|annotations)(\\['.+'\\])?)|spec\\.(host|nodeName|serviceAccountName)|status\\.(host|pod)IPs?)$",
    },
  },
} as object as TUnsafe<api.ObjectFieldSelector>;

export const FileKeySelector = {
  required: ['volumeName', 'path', 'key'],
  type: 'object',
  'x-kubernetes-map-type': 'atomic',
  properties: {
    key: { type: 'string' },
    optional: { type: 'boolean' },
    path: { type: 'string' },
    volumeName: { type: 'string' },
  },
} as object as TUnsafe<api.FileKeySelector>;

export const ResourceFieldSelector = {
  required: ['resource'],
  type: 'object',
  'x-kubernetes-map-type': 'atomic',
  properties: {
    containerName: { type: 'string' },
    divisor: Quantity,
    resource: {
      type: 'string',
      pattern: '^(limits|requests)\\.(cpu|memory|ephemeral-storage|hugepages-.+)$',
    },
  },
} as object as TUnsafe<api.ResourceFieldSelector>;

export const SecretKeySelector = {
  required: ['key', 'name'],
  type: 'object',
  'x-kubernetes-map-type': 'atomic',
  properties: {
    key: { type: 'string', maxLength: 253, pattern: '^[-._a-zA-Z0-9]+$' },
    name: { type: 'string', minLength: 1 },
    optional: { type: 'boolean' },
  },
} as object as TUnsafe<api.SecretKeySelector & { readonly name: string }>;

export const EnvVarSource = {
  type: 'object',
  minProperties: 1,
  maxProperties: 1,
  properties: {
    configMapKeyRef: ConfigMapKeySelector,
    fieldRef: ObjectFieldSelector,
    fileKeyRef: FileKeySelector,
    resourceFieldRef: ResourceFieldSelector,
    secretKeyRef: SecretKeySelector,
  },
} as object as TUnsafe<api.EnvVarSource>;

export const EnvVar = {
  required: ['name'],
  type: 'object',
  'x-kubernetes-validations': rules.envVar,
  properties: {
    name: { type: 'string', minLength: 1, pattern: '^[ -<>-~]+$' },
    value: { type: 'string' },
    valueFrom: EnvVarSource,
  },
} as object as TUnsafe<api.EnvVar>;

export const ConfigMapEnvSource = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string', minLength: 1 }, optional: { type: 'boolean' } },
} as object as TUnsafe<api.ConfigMapEnvSource & { readonly name: string }>;

export const SecretEnvSource = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string', minLength: 1 }, optional: { type: 'boolean' } },
} as object as TUnsafe<api.SecretEnvSource & { readonly name: string }>;

export const EnvFromSource = {
  type: 'object',
  'x-kubernetes-validations': rules.envFromSource,
  properties: {
    configMapRef: ConfigMapEnvSource,
    prefix: { type: 'string', pattern: '^[ -<>-~]*$' },
    secretRef: SecretEnvSource,
  },
} as object as TUnsafe<api.EnvFromSource>;

export const ExecAction = {
  type: 'object',
  required: ['command'],
  properties: {
    command: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      minItems: 1,
      items: { type: 'string' },
    },
  },
} as object as TUnsafe<api.ExecAction>;

export const HTTPHeader = {
  required: ['name', 'value'],
  type: 'object',
  properties: { name: { type: 'string', pattern: '^[-A-Za-z0-9]+$' }, value: { type: 'string' } },
} as object as TUnsafe<api.HTTPHeader>;

export const HTTPGetAction = {
  required: ['port'],
  type: 'object',
  properties: {
    host: { type: 'string' },
    httpHeaders: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: HTTPHeader },
    path: { type: 'string' },
    port: portOrName,
    scheme: { enum: ['HTTP', 'HTTPS'], type: 'string' },
  },
} as object as TUnsafe<api.HTTPGetAction>;

export const SleepAction = {
  required: ['seconds'],
  type: 'object',
  properties: { seconds: { type: 'integer', minimum: 0 } },
} as object as TUnsafe<api.SleepAction>;

export const TCPSocketAction = {
  required: ['port'],
  type: 'object',
  properties: { host: { type: 'string' }, port: portOrName },
} as object as TUnsafe<api.TCPSocketAction>;

export const LifecycleHandler = {
  type: 'object',
  minProperties: 1,
  maxProperties: 1,
  properties: {
    exec: ExecAction,
    httpGet: HTTPGetAction,
    sleep: SleepAction,
    tcpSocket: TCPSocketAction,
  },
} as object as TUnsafe<api.LifecycleHandler>;

export const Lifecycle = {
  type: 'object',
  properties: {
    postStart: LifecycleHandler,
    preStop: LifecycleHandler,
    stopSignal: {
      enum: [
        'SIGABRT',
        'SIGALRM',
        'SIGBUS',
        'SIGCHLD',
        'SIGCLD',
        'SIGCONT',
        'SIGFPE',
        'SIGHUP',
        'SIGILL',
        'SIGINT',
        'SIGIO',
        'SIGIOT',
        'SIGKILL',
        'SIGPIPE',
        'SIGPOLL',
        'SIGPROF',
        'SIGPWR',
        'SIGQUIT',
        'SIGRTMAX',
        'SIGRTMAX-1',
        'SIGRTMAX-10',
        'SIGRTMAX-11',
        'SIGRTMAX-12',
        'SIGRTMAX-13',
        'SIGRTMAX-14',
        'SIGRTMAX-2',
        'SIGRTMAX-3',
        'SIGRTMAX-4',
        'SIGRTMAX-5',
        'SIGRTMAX-6',
        'SIGRTMAX-7',
        'SIGRTMAX-8',
        'SIGRTMAX-9',
        'SIGRTMIN',
        'SIGRTMIN+1',
        'SIGRTMIN+10',
        'SIGRTMIN+11',
        'SIGRTMIN+12',
        'SIGRTMIN+13',
        'SIGRTMIN+14',
        'SIGRTMIN+15',
        'SIGRTMIN+2',
        'SIGRTMIN+3',
        'SIGRTMIN+4',
        'SIGRTMIN+5',
        'SIGRTMIN+6',
        'SIGRTMIN+7',
        'SIGRTMIN+8',
        'SIGRTMIN+9',
        'SIGSEGV',
        'SIGSTKFLT',
        'SIGSTOP',
        'SIGSYS',
        'SIGTERM',
        'SIGTRAP',
        'SIGTSTP',
        'SIGTTIN',
        'SIGTTOU',
        'SIGURG',
        'SIGUSR1',
        'SIGUSR2',
        'SIGVTALRM',
        'SIGWINCH',
        'SIGXCPU',
        'SIGXFSZ',
      ],
      type: 'string',
    },
  },
} as object as TUnsafe<api.Lifecycle>;

export const GRPCAction = {
  required: ['port'],
  type: 'object',
  properties: {
    port: { type: 'integer', minimum: 1, maximum: 65535 },
    service: { type: 'string' },
  },
} as object as TUnsafe<api.GRPCAction>;

export const Probe = {
  type: 'object',
  'x-kubernetes-validations': rules.probe,
  properties: {
    exec: ExecAction,
    failureThreshold: { type: 'integer', minimum: 0, maximum: 2147483647 },
    grpc: GRPCAction,
    httpGet: HTTPGetAction,
    initialDelaySeconds: { type: 'integer', minimum: 0, maximum: 2147483647 },
    periodSeconds: { type: 'integer', minimum: 0, maximum: 2147483647 },
    successThreshold: { type: 'integer', minimum: 0, maximum: 2147483647 },
    tcpSocket: TCPSocketAction,
    terminationGracePeriodSeconds: { type: 'integer', minimum: 1 },
    timeoutSeconds: { type: 'integer', minimum: 0, maximum: 2147483647 },
  },
} as object as TUnsafe<api.Probe>;

export const ContainerPort = {
  required: ['containerPort'],
  type: 'object',
  properties: {
    containerPort: { type: 'integer', minimum: 1, maximum: 65535 },
    hostIP: { type: 'string' },
    hostPort: { type: 'integer', minimum: 0, maximum: 65535 },
    name: { type: 'string', maxLength: 15, pattern: '^([0-9]-?)*[a-z](-?[a-z0-9])*$' },
    protocol: { enum: ['SCTP', 'TCP', 'UDP'], type: 'string', default: 'TCP' },
  },
} as object as TUnsafe<api.ContainerPort>;

export const ContainerResizePolicy = {
  required: ['resourceName', 'restartPolicy'],
  type: 'object',
  properties: { resourceName: { type: 'string' }, restartPolicy: { type: 'string' } },
} as object as TUnsafe<api.ContainerResizePolicy>;

export const ResourceClaim = {
  required: ['name'],
  type: 'object',
  properties: { name: { type: 'string' }, request: { type: 'string' } },
} as object as TUnsafe<api.CoreResourceClaim>;

export const ResourceRequirements = {
  type: 'object',
  'x-kubernetes-validations': rules.resourceRequirements,
  properties: {
    claims: {
      type: 'array',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-list-type': 'map',
      items: ResourceClaim,
    },
    limits: {
      type: 'object',
      maxProperties: 32,
      'x-kubernetes-validations': rules.resourceKeys,
      additionalProperties: Quantity,
    },
    requests: {
      type: 'object',
      maxProperties: 32,
      'x-kubernetes-validations': rules.resourceKeys,
      additionalProperties: Quantity,
    },
  },
} as object as TUnsafe<api.ResourceRequirements>;

export const ContainerRestartRuleOnExitCodes = {
  required: ['operator'],
  type: 'object',
  properties: {
    operator: { type: 'string' },
    values: { type: 'array', 'x-kubernetes-list-type': 'set', items: int32 },
  },
} as object as TUnsafe<api.ContainerRestartRuleOnExitCodes>;

export const ContainerRestartRule = {
  required: ['action'],
  type: 'object',
  properties: { action: { type: 'string' }, exitCodes: ContainerRestartRuleOnExitCodes },
} as object as TUnsafe<api.ContainerRestartRule>;

export const AppArmorProfile = {
  required: ['type'],
  type: 'object',
  'x-kubernetes-validations': rules.localProfile,
  properties: {
    localhostProfile: { type: 'string' },
    type: { enum: ['Localhost', 'RuntimeDefault', 'Unconfined'], type: 'string' },
  },
} as object as TUnsafe<api.AppArmorProfile>;

export const Capabilities = {
  type: 'object',
  properties: {
    add: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: { type: 'string' } },
    drop: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: { type: 'string' } },
  },
} as object as TUnsafe<api.Capabilities>;

export const SELinuxOptions = {
  type: 'object',
  properties: {
    level: { type: 'string' },
    role: { type: 'string' },
    type: { type: 'string' },
    user: { type: 'string' },
  },
} as object as TUnsafe<api.SELinuxOptions>;

export const SeccompProfile = {
  required: ['type'],
  type: 'object',
  'x-kubernetes-validations': rules.localProfile,
  properties: {
    localhostProfile: { type: 'string' },
    type: { enum: ['Localhost', 'RuntimeDefault', 'Unconfined'], type: 'string' },
  },
} as object as TUnsafe<api.SeccompProfile>;

export const WindowsSecurityContextOptions = {
  type: 'object',
  properties: {
    gmsaCredentialSpec: { type: 'string' },
    gmsaCredentialSpecName: { type: 'string' },
    hostProcess: { type: 'boolean' },
    runAsUserName: { type: 'string' },
  },
} as object as TUnsafe<api.WindowsSecurityContextOptions>;

export const SecurityContext = {
  type: 'object',
  'x-kubernetes-validations': rules.securityContext,
  properties: {
    allowPrivilegeEscalation: { type: 'boolean' },
    appArmorProfile: AppArmorProfile,
    capabilities: Capabilities,
    privileged: { type: 'boolean' },
    procMount: { enum: ['Default', 'Unmasked'], type: 'string' },
    readOnlyRootFilesystem: { type: 'boolean' },
    runAsGroup: { type: 'integer', minimum: 0, maximum: 2147483647 },
    runAsNonRoot: { type: 'boolean' },
    runAsUser: { type: 'integer', minimum: 0, maximum: 2147483647 },
    seLinuxOptions: SELinuxOptions,
    seccompProfile: SeccompProfile,
    windowsOptions: WindowsSecurityContextOptions,
  },
} as object as TUnsafe<api.SecurityContext>;

export const VolumeDevice = {
  required: ['name', 'devicePath'],
  type: 'object',
  properties: {
    devicePath: { type: 'string', minLength: 1 },
    name: { type: 'string', minLength: 1 },
  },
} as object as TUnsafe<api.VolumeDevice>;

export const VolumeMount = {
  required: ['name', 'mountPath'],
  type: 'object',
  'x-kubernetes-validations': rules.volumeMount,
  properties: {
    mountPath: { type: 'string', minLength: 1 },
    mountPropagation: { enum: ['Bidirectional', 'HostToContainer', 'None'], type: 'string' },
    name: { type: 'string', minLength: 1 },
    readOnly: { type: 'boolean' },
    recursiveReadOnly: { type: 'string', enum: ['Disabled', 'Enabled', 'IfPossible'] },
    subPath: {
      type: 'string',
      pattern: '^((\\.|\\.?[^/.][^/]*|\\.\\.[^/]+)(/(\\.|\\.?[^/.][^/]*|\\.\\.[^/]+)?)*)?$',
    },
    subPathExpr: {
      type: 'string',
      pattern: '^((\\.|\\.?[^/.][^/]*|\\.\\.[^/]+)(/(\\.|\\.?[^/.][^/]*|\\.\\.[^/]+)?)*)?$',
    },
  },
} as object as TUnsafe<api.VolumeMount>;

export const Container = {
  required: ['name'],
  type: 'object',
  'x-kubernetes-validations': rules.container,
  properties: {
    args: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: { type: 'string' } },
    command: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: { type: 'string' } },
    env: {
      type: 'array',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-list-type': 'map',
      maxItems: 512,
      items: EnvVar,
    },
    envFrom: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      maxItems: 64,
      items: EnvFromSource,
    },
    image: { type: 'string' },
    imagePullPolicy: { enum: ['Always', 'IfNotPresent', 'Never'], type: 'string' },
    lifecycle: Lifecycle,
    livenessProbe: Probe,
    name: { type: 'string', maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' },
    ports: {
      type: 'array',
      'x-kubernetes-list-map-keys': ['containerPort', 'protocol'],
      'x-kubernetes-list-type': 'map',
      items: ContainerPort,
    },
    readinessProbe: Probe,
    resizePolicy: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      items: ContainerResizePolicy,
    },
    resources: ResourceRequirements,
    restartPolicy: { type: 'string' },
    restartPolicyRules: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      items: ContainerRestartRule,
    },
    securityContext: SecurityContext,
    startupProbe: Probe,
    stdin: { type: 'boolean' },
    stdinOnce: { type: 'boolean' },
    terminationMessagePath: { type: 'string' },
    terminationMessagePolicy: { enum: ['FallbackToLogsOnError', 'File'], type: 'string' },
    tty: { type: 'boolean' },
    volumeDevices: {
      type: 'array',
      'x-kubernetes-list-map-keys': ['devicePath'],
      'x-kubernetes-list-type': 'map',
      items: VolumeDevice,
    },
    volumeMounts: {
      type: 'array',
      'x-kubernetes-list-map-keys': ['mountPath'],
      'x-kubernetes-list-type': 'map',
      maxItems: 128,
      items: VolumeMount,
    },
    workingDir: { type: 'string' },
  },
} as object as TUnsafe<api.Container>;

export const PodDNSConfigOption = {
  type: 'object',
  required: ['name'],
  properties: { name: { type: 'string', minLength: 1 }, value: { type: 'string' } },
} as object as TUnsafe<api.PodDNSConfigOption>;

export const PodDNSConfig = {
  type: 'object',
  properties: {
    nameservers: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      maxItems: 3,
      items: {
        type: 'string',
        maxLength: 45,
        pattern:
          '^((25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9])(\\.(25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9])){3}|[0-9a-fA-F]*:[0-9a-fA-F:]*:[0-9a-fA-F:.]*)$',
      },
    },
    options: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: PodDNSConfigOption },
    searches: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      maxItems: 32,
      items: { type: 'string' },
    },
  },
} as object as TUnsafe<api.PodDNSConfig>;

export const HostAlias = {
  required: ['ip'],
  type: 'object',
  properties: {
    hostnames: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      items: {
        type: 'string',
        maxLength: 253,
        pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$',
      },
    },
    ip: {
      type: 'string',
      maxLength: 45,
      pattern:
        '^((25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9])(\\.(25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9])){3}|[0-9a-fA-F]*:[0-9a-fA-F:]*:[0-9a-fA-F:.]*)$',
    },
  },
} as object as TUnsafe<api.HostAlias>;

export const LocalObjectReference = {
  type: 'object',
  'x-kubernetes-map-type': 'atomic',
  required: ['name'],
  properties: { name: { type: 'string', minLength: 1 } },
} as object as TUnsafe<api.LocalObjectReference & { readonly name: string }>;

export const PodOS = {
  required: ['name'],
  type: 'object',
  properties: { name: { type: 'string', enum: ['linux', 'windows'] } },
} as object as TUnsafe<api.PodOS>;

export const PodReadinessGate = {
  required: ['conditionType'],
  type: 'object',
  properties: { conditionType: { type: 'string' } },
} as object as TUnsafe<api.PodReadinessGate>;

export const PodResourceClaim = {
  required: ['name'],
  type: 'object',
  properties: {
    name: { type: 'string' },
    resourceClaimName: { type: 'string' },
    resourceClaimTemplateName: { type: 'string' },
  },
} as object as TUnsafe<api.PodResourceClaim>;

export const PodSchedulingGate = {
  required: ['name'],
  type: 'object',
  properties: { name: { type: 'string' } },
} as object as TUnsafe<api.PodSchedulingGate>;

export const PodSchedulingGroup = {
  type: 'object',
  properties: { podGroupName: { type: 'string' } },
} as object as TUnsafe<api.PodSchedulingGroup>;

export const Sysctl = {
  required: ['name', 'value'],
  type: 'object',
  properties: {
    name: {
      type: 'string',
      maxLength: 253,
      pattern: '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
    },
    value: { type: 'string' },
  },
} as object as TUnsafe<api.Sysctl>;

export const PodSecurityContext = {
  type: 'object',
  properties: {
    appArmorProfile: AppArmorProfile,
    fsGroup: { type: 'integer', minimum: 0, maximum: 2147483647 },
    fsGroupChangePolicy: { enum: ['Always', 'OnRootMismatch'], type: 'string' },
    runAsGroup: { type: 'integer', minimum: 0, maximum: 2147483647 },
    runAsNonRoot: { type: 'boolean' },
    runAsUser: { type: 'integer', minimum: 0, maximum: 2147483647 },
    seLinuxChangePolicy: { type: 'string', enum: ['Recursive'] },
    seLinuxOptions: SELinuxOptions,
    seccompProfile: SeccompProfile,
    supplementalGroups: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      items: { type: 'integer', minimum: 0, maximum: 2147483647 },
    },
    supplementalGroupsPolicy: { enum: ['Merge', 'Strict'], type: 'string' },
    sysctls: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: Sysctl },
    windowsOptions: WindowsSecurityContextOptions,
  },
} as object as TUnsafe<api.PodSecurityContext>;

export const Toleration = {
  type: 'object',
  'x-kubernetes-validations': rules.toleration,
  properties: {
    effect: { enum: ['NoExecute', 'NoSchedule', 'PreferNoSchedule'], type: 'string' },
    key: {
      type: 'string',
      maxLength: 317,
      pattern:
        '^$|^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$',
    },
    operator: { enum: ['Equal', 'Exists'], type: 'string' },
    tolerationSeconds: { type: 'integer' },
    value: { type: 'string', pattern: '^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$' },
  },
} as object as TUnsafe<api.Toleration>;

export const TopologySpreadConstraint = {
  required: ['maxSkew', 'topologyKey', 'whenUnsatisfiable'],
  type: 'object',
  'x-kubernetes-validations': rules.topologySpreadConstraint,
  properties: {
    labelSelector: LabelSelector,
    matchLabelKeys: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      items: { type: 'string' },
    },
    maxSkew: { type: 'integer', minimum: 1, maximum: 2147483647 },
    minDomains: { type: 'integer', minimum: 1, maximum: 2147483647 },
    nodeAffinityPolicy: { enum: ['Honor', 'Ignore'], type: 'string' },
    nodeTaintsPolicy: { enum: ['Honor', 'Ignore'], type: 'string' },
    topologyKey: { type: 'string', minLength: 1 },
    whenUnsatisfiable: { enum: ['DoNotSchedule', 'ScheduleAnyway'], type: 'string' },
  },
} as object as TUnsafe<api.TopologySpreadConstraint>;

export const AWSElasticBlockStoreVolumeSource = {
  required: ['volumeID'],
  type: 'object',
  properties: {
    fsType: { type: 'string' },
    partition: int32,
    readOnly: { type: 'boolean' },
    volumeID: { type: 'string' },
  },
} as object as TUnsafe<api.AWSElasticBlockStoreVolumeSource>;

export const AzureDiskVolumeSource = {
  required: ['diskName', 'diskURI'],
  type: 'object',
  properties: {
    cachingMode: { enum: ['None', 'ReadOnly', 'ReadWrite'], type: 'string' },
    diskName: { type: 'string' },
    diskURI: { type: 'string' },
    fsType: { type: 'string' },
    kind: { enum: ['Dedicated', 'Managed', 'Shared'], type: 'string' },
    readOnly: { type: 'boolean' },
  },
} as object as TUnsafe<api.AzureDiskVolumeSource>;

export const AzureFileVolumeSource = {
  required: ['secretName', 'shareName'],
  type: 'object',
  properties: {
    readOnly: { type: 'boolean' },
    secretName: { type: 'string' },
    shareName: { type: 'string' },
  },
} as object as TUnsafe<api.AzureFileVolumeSource>;

export const CephFSVolumeSource = {
  required: ['monitors'],
  type: 'object',
  properties: {
    monitors: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: { type: 'string' } },
    path: { type: 'string' },
    readOnly: { type: 'boolean' },
    secretFile: { type: 'string' },
    secretRef: LocalObjectReference,
    user: { type: 'string' },
  },
} as object as TUnsafe<api.CephFSVolumeSource>;

export const CinderVolumeSource = {
  required: ['volumeID'],
  type: 'object',
  properties: {
    fsType: { type: 'string' },
    readOnly: { type: 'boolean' },
    secretRef: LocalObjectReference,
    volumeID: { type: 'string' },
  },
} as object as TUnsafe<api.CinderVolumeSource>;

export const KeyToPath = {
  required: ['key', 'path'],
  type: 'object',
  properties: {
    key: { type: 'string', minLength: 1 },
    mode: { type: 'integer', minimum: 0, maximum: 511 },
    path: {
      type: 'string',
      pattern: '^(\\.|\\.?[^/.][^/]*)(/(\\.|\\.?[^/.][^/]*|\\.\\.[^/]+)?)*$',
    },
  },
} as object as TUnsafe<api.KeyToPath>;

export const ConfigMapVolumeSource = {
  type: 'object',
  required: ['name'],
  properties: {
    defaultMode: { type: 'integer', minimum: 0, maximum: 511 },
    items: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: KeyToPath },
    name: { type: 'string', minLength: 1 },
    optional: { type: 'boolean' },
  },
} as object as TUnsafe<api.ConfigMapVolumeSource>;

export const CSIVolumeSource = {
  required: ['driver'],
  type: 'object',
  properties: {
    driver: {
      type: 'string',
      maxLength: 63,
      pattern:
        '^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?(\\.[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?)*$',
    },
    fsType: { type: 'string' },
    nodePublishSecretRef: LocalObjectReference,
    readOnly: { type: 'boolean' },
    volumeAttributes: { type: 'object', additionalProperties: { type: 'string' } },
  },
} as object as TUnsafe<api.CSIVolumeSource>;

export const DownwardAPIVolumeFile = {
  required: ['path'],
  type: 'object',
  'x-kubernetes-validations': rules.downwardAPIVolumeFile,
  properties: {
    fieldRef: ObjectFieldSelector,
    mode: { type: 'integer', minimum: 0, maximum: 511 },
    path: {
      type: 'string',
      pattern: '^(\\.|\\.?[^/.][^/]*)(/(\\.|\\.?[^/.][^/]*|\\.\\.[^/]+)?)*$',
    },
    resourceFieldRef: ResourceFieldSelector,
  },
} as object as TUnsafe<api.DownwardAPIVolumeFile>;

export const DownwardAPIVolumeSource = {
  type: 'object',
  properties: {
    defaultMode: { type: 'integer', minimum: 0, maximum: 511 },
    items: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: DownwardAPIVolumeFile },
  },
} as object as TUnsafe<api.DownwardAPIVolumeSource>;

export const EmptyDirVolumeSource = {
  type: 'object',
  properties: { medium: { type: 'string' }, sizeLimit: Quantity },
} as object as TUnsafe<api.EmptyDirVolumeSource>;

export const TypedLocalObjectReference = {
  required: ['kind', 'name'],
  type: 'object',
  'x-kubernetes-map-type': 'atomic',
  properties: { apiGroup: { type: 'string' }, kind: { type: 'string' }, name: { type: 'string' } },
} as object as TUnsafe<api.TypedLocalObjectReference>;

export const TypedObjectReference = {
  required: ['kind', 'name'],
  type: 'object',
  properties: {
    apiGroup: { type: 'string' },
    kind: { type: 'string' },
    name: { type: 'string' },
    namespace: { type: 'string' },
  },
} as object as TUnsafe<api.TypedObjectReference>;

export const VolumeResourceRequirements = {
  type: 'object',
  'x-kubernetes-validations': rules.volumeResourceRequirements,
  properties: {
    limits: { type: 'object', additionalProperties: Quantity },
    requests: { type: 'object', additionalProperties: Quantity },
  },
} as object as TUnsafe<api.VolumeResourceRequirements>;

export const PersistentVolumeClaimSpec = {
  type: 'object',
  'x-kubernetes-validations': rules.persistentVolumeClaimSpec,
  required: ['accessModes', 'resources'],
  properties: {
    accessModes: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      minItems: 1,
      maxItems: 4,
      items: {
        enum: ['ReadOnlyMany', 'ReadWriteMany', 'ReadWriteOnce', 'ReadWriteOncePod'],
        type: 'string',
      },
    },
    dataSource: TypedLocalObjectReference,
    dataSourceRef: TypedObjectReference,
    resources: VolumeResourceRequirements,
    selector: LabelSelector,
    storageClassName: {
      type: 'string',
      maxLength: 253,
      pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$',
    },
    volumeAttributesClassName: { type: 'string' },
    volumeMode: { enum: ['Block', 'Filesystem'], type: 'string' },
    volumeName: { type: 'string' },
  },
} as object as TUnsafe<api.PersistentVolumeClaimSpec>;

export const PersistentVolumeClaimTemplate = {
  required: ['spec'],
  type: 'object',
  properties: { metadata: ObjectMeta, spec: PersistentVolumeClaimSpec },
} as object as TUnsafe<api.PersistentVolumeClaimTemplate>;

export const EphemeralVolumeSource = {
  type: 'object',
  required: ['volumeClaimTemplate'],
  properties: { volumeClaimTemplate: PersistentVolumeClaimTemplate },
} as object as TUnsafe<api.EphemeralVolumeSource>;

export const FCVolumeSource = {
  type: 'object',
  properties: {
    fsType: { type: 'string' },
    lun: int32,
    readOnly: { type: 'boolean' },
    targetWWNs: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: { type: 'string' } },
    wwids: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: { type: 'string' } },
  },
} as object as TUnsafe<api.FCVolumeSource>;

export const FlexVolumeSource = {
  required: ['driver'],
  type: 'object',
  properties: {
    driver: { type: 'string' },
    fsType: { type: 'string' },
    options: { type: 'object', additionalProperties: { type: 'string' } },
    readOnly: { type: 'boolean' },
    secretRef: LocalObjectReference,
  },
} as object as TUnsafe<api.FlexVolumeSource>;

export const FlockerVolumeSource = {
  type: 'object',
  properties: { datasetName: { type: 'string' }, datasetUUID: { type: 'string' } },
} as object as TUnsafe<api.FlockerVolumeSource>;

export const GCEPersistentDiskVolumeSource = {
  required: ['pdName'],
  type: 'object',
  properties: {
    fsType: { type: 'string' },
    partition: int32,
    pdName: { type: 'string' },
    readOnly: { type: 'boolean' },
  },
} as object as TUnsafe<api.GCEPersistentDiskVolumeSource>;

export const GitRepoVolumeSource = {
  required: ['repository'],
  type: 'object',
  properties: {
    directory: { type: 'string' },
    repository: { type: 'string' },
    revision: { type: 'string' },
  },
} as object as TUnsafe<api.GitRepoVolumeSource>;

export const GlusterfsVolumeSource = {
  required: ['endpoints', 'path'],
  type: 'object',
  properties: {
    endpoints: { type: 'string' },
    path: { type: 'string' },
    readOnly: { type: 'boolean' },
  },
} as object as TUnsafe<api.GlusterfsVolumeSource>;

export const HostPathVolumeSource = {
  required: ['path'],
  type: 'object',
  properties: {
    path: {
      type: 'string',
      minLength: 1,
      pattern: '^(\\.|\\.?[^/.][^/]*|\\.\\.[^/]+)?(/(\\.|\\.?[^/.][^/]*|\\.\\.[^/]+)?)*$',
    },
    type: {
      enum: [
        '',
        'BlockDevice',
        'CharDevice',
        'Directory',
        'DirectoryOrCreate',
        'File',
        'FileOrCreate',
        'Socket',
      ],
      type: 'string',
    },
  },
} as object as TUnsafe<api.HostPathVolumeSource>;

export const ImageVolumeSource = {
  type: 'object',
  properties: {
    pullPolicy: { enum: ['Always', 'IfNotPresent', 'Never'], type: 'string' },
    reference: { type: 'string' },
  },
} as object as TUnsafe<api.ImageVolumeSource>;

export const ISCSIVolumeSource = {
  required: ['targetPortal', 'iqn', 'lun'],
  type: 'object',
  properties: {
    chapAuthDiscovery: { type: 'boolean' },
    chapAuthSession: { type: 'boolean' },
    fsType: { type: 'string' },
    initiatorName: { type: 'string' },
    iqn: { type: 'string' },
    iscsiInterface: { type: 'string' },
    lun: int32,
    portals: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: { type: 'string' } },
    readOnly: { type: 'boolean' },
    secretRef: LocalObjectReference,
    targetPortal: { type: 'string' },
  },
} as object as TUnsafe<api.ISCSIVolumeSource>;

export const NFSVolumeSource = {
  required: ['server', 'path'],
  type: 'object',
  properties: {
    path: { type: 'string', pattern: '^/' },
    readOnly: { type: 'boolean' },
    server: { type: 'string', minLength: 1 },
  },
} as object as TUnsafe<api.NFSVolumeSource>;

export const PersistentVolumeClaimVolumeSource = {
  required: ['claimName'],
  type: 'object',
  properties: { claimName: { type: 'string', minLength: 1 }, readOnly: { type: 'boolean' } },
} as object as TUnsafe<api.PersistentVolumeClaimVolumeSource>;

export const PhotonPersistentDiskVolumeSource = {
  required: ['pdID'],
  type: 'object',
  properties: { fsType: { type: 'string' }, pdID: { type: 'string' } },
} as object as TUnsafe<api.PhotonPersistentDiskVolumeSource>;

export const PortworxVolumeSource = {
  required: ['volumeID'],
  type: 'object',
  properties: {
    fsType: { type: 'string' },
    readOnly: { type: 'boolean' },
    volumeID: { type: 'string' },
  },
} as object as TUnsafe<api.PortworxVolumeSource>;

export const ClusterTrustBundleProjection = {
  required: ['path'],
  type: 'object',
  properties: {
    labelSelector: LabelSelector,
    name: { type: 'string' },
    optional: { type: 'boolean' },
    path: {
      type: 'string',
      pattern: '^(\\.|\\.?[^/.][^/]*)(/(\\.|\\.?[^/.][^/]*|\\.\\.[^/]+)?)*$',
    },
    signerName: { type: 'string' },
  },
} as object as TUnsafe<api.ClusterTrustBundleProjection>;

export const ConfigMapProjection = {
  type: 'object',
  required: ['name'],
  properties: {
    items: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: KeyToPath },
    name: { type: 'string', minLength: 1 },
    optional: { type: 'boolean' },
  },
} as object as TUnsafe<api.ConfigMapProjection & { readonly name: string }>;

export const DownwardAPIProjection = {
  type: 'object',
  properties: {
    items: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: DownwardAPIVolumeFile },
  },
} as object as TUnsafe<api.DownwardAPIProjection>;

export const PodCertificateProjection = {
  required: ['signerName', 'keyType'],
  type: 'object',
  properties: {
    certificateChainPath: { type: 'string' },
    credentialBundlePath: { type: 'string' },
    keyPath: { type: 'string' },
    keyType: { type: 'string' },
    maxExpirationSeconds: int32,
    signerName: { type: 'string' },
    userAnnotations: { type: 'object', additionalProperties: { type: 'string' } },
  },
} as object as TUnsafe<api.PodCertificateProjection>;

export const SecretProjection = {
  type: 'object',
  required: ['name'],
  properties: {
    items: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: KeyToPath },
    name: { type: 'string', minLength: 1 },
    optional: { type: 'boolean' },
  },
} as object as TUnsafe<api.SecretProjection & { readonly name: string }>;

export const ServiceAccountTokenProjection = {
  required: ['path'],
  type: 'object',
  properties: {
    audience: { type: 'string' },
    expirationSeconds: { type: 'integer', minimum: 600, maximum: 4294967296 },
    path: {
      type: 'string',
      pattern: '^(\\.|\\.?[^/.][^/]*)(/(\\.|\\.?[^/.][^/]*|\\.\\.[^/]+)?)*$',
    },
  },
} as object as TUnsafe<api.ServiceAccountTokenProjection>;

export const VolumeProjection = {
  type: 'object',
  minProperties: 1,
  maxProperties: 1,
  properties: {
    clusterTrustBundle: ClusterTrustBundleProjection,
    configMap: ConfigMapProjection,
    downwardAPI: DownwardAPIProjection,
    podCertificate: PodCertificateProjection,
    secret: SecretProjection,
    serviceAccountToken: ServiceAccountTokenProjection,
  },
} as object as TUnsafe<api.VolumeProjection>;

export const ProjectedVolumeSource = {
  type: 'object',
  properties: {
    defaultMode: { type: 'integer', minimum: 0, maximum: 511 },
    sources: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      maxItems: 12,
      items: VolumeProjection,
    },
  },
} as object as TUnsafe<api.ProjectedVolumeSource>;

export const QuobyteVolumeSource = {
  required: ['registry', 'volume'],
  type: 'object',
  properties: {
    group: { type: 'string' },
    readOnly: { type: 'boolean' },
    registry: { type: 'string' },
    tenant: { type: 'string' },
    user: { type: 'string' },
    volume: { type: 'string' },
  },
} as object as TUnsafe<api.QuobyteVolumeSource>;

export const RBDVolumeSource = {
  required: ['monitors', 'image'],
  type: 'object',
  properties: {
    fsType: { type: 'string' },
    image: { type: 'string' },
    keyring: { type: 'string' },
    monitors: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: { type: 'string' } },
    pool: { type: 'string' },
    readOnly: { type: 'boolean' },
    secretRef: LocalObjectReference,
    user: { type: 'string' },
  },
} as object as TUnsafe<api.RBDVolumeSource>;

export const ScaleIOVolumeSource = {
  required: ['gateway', 'system', 'secretRef'],
  type: 'object',
  properties: {
    fsType: { type: 'string' },
    gateway: { type: 'string' },
    protectionDomain: { type: 'string' },
    readOnly: { type: 'boolean' },
    secretRef: LocalObjectReference,
    sslEnabled: { type: 'boolean' },
    storageMode: { type: 'string' },
    storagePool: { type: 'string' },
    system: { type: 'string' },
    volumeName: { type: 'string' },
  },
} as object as TUnsafe<api.ScaleIOVolumeSource>;

export const SecretVolumeSource = {
  type: 'object',
  required: ['secretName'],
  properties: {
    defaultMode: { type: 'integer', minimum: 0, maximum: 511 },
    items: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: KeyToPath },
    optional: { type: 'boolean' },
    secretName: { type: 'string', minLength: 1 },
  },
} as object as TUnsafe<api.SecretVolumeSource>;

export const StorageOSVolumeSource = {
  type: 'object',
  properties: {
    fsType: { type: 'string' },
    readOnly: { type: 'boolean' },
    secretRef: LocalObjectReference,
    volumeName: { type: 'string' },
    volumeNamespace: { type: 'string' },
  },
} as object as TUnsafe<api.StorageOSVolumeSource>;

export const VsphereVirtualDiskVolumeSource = {
  required: ['volumePath'],
  type: 'object',
  properties: {
    fsType: { type: 'string' },
    storagePolicyID: { type: 'string' },
    storagePolicyName: { type: 'string' },
    volumePath: { type: 'string' },
  },
} as object as TUnsafe<api.VsphereVirtualDiskVolumeSource>;

export const Volume = {
  required: ['name'],
  type: 'object',
  maxProperties: 2,
  properties: {
    awsElasticBlockStore: AWSElasticBlockStoreVolumeSource,
    azureDisk: AzureDiskVolumeSource,
    azureFile: AzureFileVolumeSource,
    cephfs: CephFSVolumeSource,
    cinder: CinderVolumeSource,
    configMap: ConfigMapVolumeSource,
    csi: CSIVolumeSource,
    downwardAPI: DownwardAPIVolumeSource,
    emptyDir: EmptyDirVolumeSource,
    ephemeral: EphemeralVolumeSource,
    fc: FCVolumeSource,
    flexVolume: FlexVolumeSource,
    flocker: FlockerVolumeSource,
    gcePersistentDisk: GCEPersistentDiskVolumeSource,
    gitRepo: GitRepoVolumeSource,
    glusterfs: GlusterfsVolumeSource,
    hostPath: HostPathVolumeSource,
    image: ImageVolumeSource,
    iscsi: ISCSIVolumeSource,
    name: { type: 'string', maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' },
    nfs: NFSVolumeSource,
    persistentVolumeClaim: PersistentVolumeClaimVolumeSource,
    photonPersistentDisk: PhotonPersistentDiskVolumeSource,
    portworxVolume: PortworxVolumeSource,
    projected: ProjectedVolumeSource,
    quobyte: QuobyteVolumeSource,
    rbd: RBDVolumeSource,
    scaleIO: ScaleIOVolumeSource,
    secret: SecretVolumeSource,
    storageos: StorageOSVolumeSource,
    vsphereVolume: VsphereVirtualDiskVolumeSource,
  },
} as object as TUnsafe<api.Volume>;

export const PodSpec = {
  required: ['containers'],
  type: 'object',
  'x-kubernetes-validations': rules.podSpec,
  properties: {
    activeDeadlineSeconds: { type: 'integer', minimum: 1 },
    affinity: Affinity,
    automountServiceAccountToken: { type: 'boolean' },
    containers: {
      type: 'array',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-list-type': 'map',
      minItems: 1,
      maxItems: 64,
      items: Container,
    },
    dnsConfig: PodDNSConfig,
    dnsPolicy: {
      enum: ['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None'],
      type: 'string',
    },
    enableServiceLinks: { type: 'boolean' },
    hostAliases: {
      type: 'array',
      'x-kubernetes-list-map-keys': ['ip'],
      'x-kubernetes-list-type': 'map',
      items: HostAlias,
    },
    hostIPC: { type: 'boolean' },
    hostNetwork: { type: 'boolean' },
    hostPID: { type: 'boolean' },
    hostUsers: { type: 'boolean' },
    hostname: { type: 'string', maxLength: 63, pattern: '^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' },
    hostnameOverride: { type: 'string' },
    imagePullSecrets: {
      type: 'array',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-list-type': 'map',
      items: LocalObjectReference,
    },
    initContainers: {
      type: 'array',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-list-type': 'map',
      maxItems: 64,
      items: Container,
    },
    nodeName: { type: 'string' },
    nodeSelector: {
      type: 'object',
      'x-kubernetes-map-type': 'atomic',
      maxProperties: 32,
      'x-kubernetes-validations': rules.qualifiedKeys,
      additionalProperties: {
        type: 'string',
        pattern: '^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$',
      },
    },
    os: PodOS,
    overhead: { type: 'object', additionalProperties: Quantity },
    preemptionPolicy: { enum: ['Never', 'PreemptLowerPriority'], type: 'string' },
    priority: int32,
    priorityClassName: {
      type: 'string',
      maxLength: 253,
      pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$',
    },
    readinessGates: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: PodReadinessGate },
    resourceClaims: {
      type: 'array',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-list-type': 'map',
      items: PodResourceClaim,
    },
    resources: ResourceRequirements,
    restartPolicy: { enum: ['Always', 'Never', 'OnFailure'], type: 'string' },
    runtimeClassName: {
      type: 'string',
      maxLength: 253,
      pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$',
    },
    schedulerName: { type: 'string' },
    schedulingGates: {
      type: 'array',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-list-type': 'map',
      items: PodSchedulingGate,
    },
    schedulingGroup: PodSchedulingGroup,
    securityContext: PodSecurityContext,
    serviceAccount: { type: 'string' },
    serviceAccountName: {
      type: 'string',
      maxLength: 253,
      pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$',
    },
    setHostnameAsFQDN: { type: 'boolean' },
    shareProcessNamespace: { type: 'boolean' },
    subdomain: { type: 'string', maxLength: 63, pattern: '^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' },
    terminationGracePeriodSeconds: { type: 'integer' },
    tolerations: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      maxItems: 256,
      items: Toleration,
    },
    topologySpreadConstraints: {
      type: 'array',
      'x-kubernetes-list-map-keys': ['topologyKey', 'whenUnsatisfiable'],
      'x-kubernetes-list-type': 'map',
      maxItems: 64,
      items: TopologySpreadConstraint,
    },
    volumes: {
      type: 'array',
      'x-kubernetes-list-map-keys': ['name'],
      'x-kubernetes-list-type': 'map',
      maxItems: 64,
      items: Volume,
    },
  },
} as object as TUnsafe<api.PodSpec>;

export const PodTemplateSpec = {
  type: 'object',
  properties: { metadata: ObjectMeta, spec: PodSpec },
} as object as TUnsafe<api.PodTemplateSpec>;

export const ServicePort = {
  required: ['port'],
  type: 'object',
  properties: {
    appProtocol: { type: 'string' },
    name: { type: 'string', maxLength: 63, pattern: '^$|^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' },
    nodePort: int32,
    port: { type: 'integer', minimum: 1, maximum: 65535 },
    protocol: { enum: ['SCTP', 'TCP', 'UDP'], type: 'string', default: 'TCP' },
    targetPort: targetPort,
  },
} as object as TUnsafe<api.ServicePort>;

export const ClientIPConfig = {
  type: 'object',
  properties: { timeoutSeconds: { type: 'integer', minimum: 1, maximum: 86400 } },
} as object as TUnsafe<api.ClientIPConfig>;

export const SessionAffinityConfig = {
  type: 'object',
  properties: { clientIP: ClientIPConfig },
} as object as TUnsafe<api.SessionAffinityConfig>;

export const ServiceSpec = {
  type: 'object',
  'x-kubernetes-validations': rules.serviceSpec,
  properties: {
    allocateLoadBalancerNodePorts: { type: 'boolean' },
    clusterIP: {
      type: 'string',
      maxLength: 45,
      pattern:
        '^$|^None$|^((25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9])(\\.(25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9])){3}|[0-9a-fA-F]*:[0-9a-fA-F:]*:[0-9a-fA-F:.]*)$',
    },
    clusterIPs: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: { type: 'string' } },
    externalIPs: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      items: {
        type: 'string',
        maxLength: 45,
        pattern:
          '^((25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9])(\\.(25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9])){3}|[0-9a-fA-F]*:[0-9a-fA-F:]*:[0-9a-fA-F:.]*)$',
      },
    },
    externalName: {
      type: 'string',
      maxLength: 253,
      pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$',
    },
    externalTrafficPolicy: { enum: ['Cluster', 'Local'], type: 'string' },
    healthCheckNodePort: int32,
    internalTrafficPolicy: { enum: ['Cluster', 'Local'], type: 'string' },
    ipFamilies: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      items: { enum: ['', 'IPv4', 'IPv6'], type: 'string' },
    },
    ipFamilyPolicy: {
      enum: ['PreferDualStack', 'RequireDualStack', 'SingleStack'],
      type: 'string',
    },
    loadBalancerClass: { type: 'string' },
    loadBalancerIP: { type: 'string' },
    loadBalancerSourceRanges: {
      type: 'array',
      'x-kubernetes-list-type': 'atomic',
      items: { type: 'string', maxLength: 49, pattern: '^ *[0-9a-fA-F:.]+/[0-9]{1,3} *$' },
    },
    ports: {
      type: 'array',
      'x-kubernetes-list-map-keys': ['port', 'protocol'],
      'x-kubernetes-list-type': 'map',
      maxItems: 64,
      items: ServicePort,
    },
    publishNotReadyAddresses: { type: 'boolean' },
    selector: {
      type: 'object',
      'x-kubernetes-map-type': 'atomic',
      maxProperties: 32,
      'x-kubernetes-validations': rules.qualifiedKeys,
      additionalProperties: {
        type: 'string',
        pattern: '^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$',
      },
    },
    sessionAffinity: { enum: ['ClientIP', 'None'], type: 'string' },
    sessionAffinityConfig: SessionAffinityConfig,
    trafficDistribution: { type: 'string' },
    type: { enum: ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'], type: 'string' },
  },
} as object as TUnsafe<api.ServiceSpec>;

export const ServiceBackendPort = {
  type: 'object',
  'x-kubernetes-map-type': 'atomic',
  'x-kubernetes-validations': rules.serviceBackendPort,
  properties: { name: { type: 'string' }, number: int32 },
} as object as TUnsafe<api.ServiceBackendPort>;

export const IngressServiceBackend = {
  required: ['name'],
  type: 'object',
  properties: { name: { type: 'string' }, port: ServiceBackendPort },
} as object as TUnsafe<api.IngressServiceBackend>;

export const IngressBackend = {
  type: 'object',
  'x-kubernetes-validations': rules.ingressBackend,
  properties: { resource: TypedLocalObjectReference, service: IngressServiceBackend },
} as object as TUnsafe<api.IngressBackend>;

export const HTTPIngressPath = {
  required: ['pathType', 'backend'],
  type: 'object',
  properties: {
    backend: IngressBackend,
    path: { type: 'string', pattern: '^(/|$)' },
    pathType: { enum: ['Exact', 'ImplementationSpecific', 'Prefix'], type: 'string' },
  },
} as object as TUnsafe<api.HTTPIngressPath>;

export const HTTPIngressRuleValue = {
  required: ['paths'],
  type: 'object',
  properties: {
    paths: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: HTTPIngressPath },
  },
} as object as TUnsafe<api.HTTPIngressRuleValue>;

export const IngressRule = {
  type: 'object',
  properties: {
    host: {
      type: 'string',
      maxLength: 253,
      pattern: '^((\\*\\.)?[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$',
    },
    http: HTTPIngressRuleValue,
  },
} as object as TUnsafe<api.IngressRule>;

export const IngressTLS = {
  type: 'object',
  properties: {
    hosts: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: { type: 'string' } },
    secretName: { type: 'string' },
  },
} as object as TUnsafe<api.IngressTLS>;

export const IngressSpec = {
  type: 'object',
  properties: {
    defaultBackend: IngressBackend,
    ingressClassName: { type: 'string' },
    rules: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: IngressRule },
    tls: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: IngressTLS },
  },
} as object as TUnsafe<api.IngressSpec>;
