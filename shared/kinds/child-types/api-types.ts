/** Types of the bodies of Kubernetes objects. Written by `npm run generate:types`. */

import type { Json } from '../../kubernetes.ts';

type Quantity = string | number;

export type AWSElasticBlockStoreVolumeSource = {
  readonly fsType?: string | undefined;
  readonly partition?: number | undefined;
  readonly readOnly?: boolean | undefined;
  readonly volumeID: string;
};

export type Affinity = {
  readonly nodeAffinity?: NodeAffinity | undefined;
  readonly podAffinity?: PodAffinity | undefined;
  readonly podAntiAffinity?: PodAntiAffinity | undefined;
};

export type AggregationRule = {
  readonly clusterRoleSelectors?: readonly LabelSelector[] | undefined;
};

export type AppArmorProfile = {
  readonly localhostProfile?: string | undefined;
  readonly type: string;
};

export type AzureDiskVolumeSource = {
  readonly cachingMode?: string | undefined;
  readonly diskName: string;
  readonly diskURI: string;
  readonly fsType?: string | undefined;
  readonly kind?: string | undefined;
  readonly readOnly?: boolean | undefined;
};

export type AzureFileVolumeSource = {
  readonly readOnly?: boolean | undefined;
  readonly secretName: string;
  readonly shareName: string;
};

export type CELDeviceSelector = {
  readonly expression: string;
};

export type CSIVolumeSource = {
  readonly driver: string;
  readonly fsType?: string | undefined;
  readonly nodePublishSecretRef?: LocalObjectReference | undefined;
  readonly readOnly?: boolean | undefined;
  readonly volumeAttributes?: { readonly [key: string]: string } | undefined;
};

export type Capabilities = {
  readonly add?: readonly string[] | undefined;
  readonly drop?: readonly string[] | undefined;
};

export type CapacityRequirements = {
  readonly requests?: { readonly [key: string]: Quantity } | undefined;
};

export type CephFSVolumeSource = {
  readonly monitors: readonly string[];
  readonly path?: string | undefined;
  readonly readOnly?: boolean | undefined;
  readonly secretFile?: string | undefined;
  readonly secretRef?: LocalObjectReference | undefined;
  readonly user?: string | undefined;
};

export type CinderVolumeSource = {
  readonly fsType?: string | undefined;
  readonly readOnly?: boolean | undefined;
  readonly secretRef?: LocalObjectReference | undefined;
  readonly volumeID: string;
};

export type ClientIPConfig = {
  readonly timeoutSeconds?: number | undefined;
};

export type ClusterRoleBindingBody = {
  readonly roleRef: RoleRef;
  readonly subjects?: readonly RbacSubject[] | undefined;
};

export type ClusterRoleBody = {
  readonly aggregationRule?: AggregationRule | undefined;
  readonly rules?: readonly PolicyRule[] | undefined;
};

export type ClusterTrustBundleProjection = {
  readonly labelSelector?: LabelSelector | undefined;
  readonly name?: string | undefined;
  readonly optional?: boolean | undefined;
  readonly path: string;
  readonly signerName?: string | undefined;
};

export type ConfigMapBody = {
  readonly binaryData?: { readonly [key: string]: string } | undefined;
  readonly data?: { readonly [key: string]: string } | undefined;
  readonly immutable?: boolean | undefined;
};

export type ConfigMapEnvSource = {
  readonly name?: string | undefined;
  readonly optional?: boolean | undefined;
};

export type ConfigMapKeySelector = {
  readonly key: string;
  readonly name?: string | undefined;
  readonly optional?: boolean | undefined;
};

export type ConfigMapProjection = {
  readonly items?: readonly KeyToPath[] | undefined;
  readonly name?: string | undefined;
  readonly optional?: boolean | undefined;
};

export type ConfigMapVolumeSource = {
  readonly defaultMode?: number | undefined;
  readonly items?: readonly KeyToPath[] | undefined;
  readonly name?: string | undefined;
  readonly optional?: boolean | undefined;
};

export type Container = {
  readonly args?: readonly string[] | undefined;
  readonly command?: readonly string[] | undefined;
  readonly env?: readonly EnvVar[] | undefined;
  readonly envFrom?: readonly EnvFromSource[] | undefined;
  readonly image?: string | undefined;
  readonly imagePullPolicy?: string | undefined;
  readonly lifecycle?: Lifecycle | undefined;
  readonly livenessProbe?: Probe | undefined;
  readonly name: string;
  readonly ports?: readonly ContainerPort[] | undefined;
  readonly readinessProbe?: Probe | undefined;
  readonly resizePolicy?: readonly ContainerResizePolicy[] | undefined;
  readonly resources?: ResourceRequirements | undefined;
  readonly restartPolicy?: string | undefined;
  readonly restartPolicyRules?: readonly ContainerRestartRule[] | undefined;
  readonly securityContext?: SecurityContext | undefined;
  readonly startupProbe?: Probe | undefined;
  readonly stdin?: boolean | undefined;
  readonly stdinOnce?: boolean | undefined;
  readonly terminationMessagePath?: string | undefined;
  readonly terminationMessagePolicy?: string | undefined;
  readonly tty?: boolean | undefined;
  readonly volumeDevices?: readonly VolumeDevice[] | undefined;
  readonly volumeMounts?: readonly VolumeMount[] | undefined;
  readonly workingDir?: string | undefined;
};

export type ContainerPort = {
  readonly containerPort: number;
  readonly hostIP?: string | undefined;
  readonly hostPort?: number | undefined;
  readonly name?: string | undefined;
  readonly protocol: string;
};

export type ContainerResizePolicy = {
  readonly resourceName: string;
  readonly restartPolicy: string;
};

export type ContainerResourceMetricSource = {
  readonly container: string;
  readonly name: string;
  readonly target: MetricTarget;
};

export type ContainerRestartRule = {
  readonly action: string;
  readonly exitCodes?: ContainerRestartRuleOnExitCodes | undefined;
};

export type ContainerRestartRuleOnExitCodes = {
  readonly operator: string;
  readonly values?: readonly number[] | undefined;
};

export type CoreResourceClaim = {
  readonly name: string;
  readonly request?: string | undefined;
};

export type CronJobBody = {
  readonly spec: CronJobSpec;
};

export type CronJobSpec = {
  readonly concurrencyPolicy?: string | undefined;
  readonly failedJobsHistoryLimit?: number | undefined;
  readonly jobTemplate: JobTemplateSpec;
  readonly schedule: string;
  readonly startingDeadlineSeconds?: number | undefined;
  readonly successfulJobsHistoryLimit?: number | undefined;
  readonly suspend?: boolean | undefined;
  readonly timeZone?: string | undefined;
};

export type CrossVersionObjectReference = {
  readonly apiVersion?: string | undefined;
  readonly kind: string;
  readonly name: string;
};

export type DaemonSetBody = {
  readonly spec: DaemonSetSpec;
};

export type DaemonSetSpec = {
  readonly minReadySeconds?: number | undefined;
  readonly revisionHistoryLimit?: number | undefined;
  readonly selector: LabelSelector;
  readonly template: PodTemplateSpec;
  readonly updateStrategy?: DaemonSetUpdateStrategy | undefined;
};

export type DaemonSetUpdateStrategy = {
  readonly rollingUpdate?: RollingUpdateDaemonSet | undefined;
  readonly type?: string | undefined;
};

export type DeploymentBody = {
  readonly spec: DeploymentSpec;
};

export type DeploymentSpec = {
  readonly minReadySeconds?: number | undefined;
  readonly paused?: boolean | undefined;
  readonly progressDeadlineSeconds?: number | undefined;
  readonly replicas?: number | undefined;
  readonly revisionHistoryLimit?: number | undefined;
  readonly selector: LabelSelector;
  readonly strategy?: DeploymentStrategy | undefined;
  readonly template: PodTemplateSpec;
};

export type DeploymentStrategy = {
  readonly rollingUpdate?: RollingUpdateDeployment | undefined;
  readonly type?: string | undefined;
};

export type DeviceClaim = {
  readonly config?: readonly DeviceClaimConfiguration[] | undefined;
  readonly constraints?: readonly DeviceConstraint[] | undefined;
  readonly requests?: readonly DeviceRequest[] | undefined;
};

export type DeviceClaimConfiguration = {
  readonly opaque?: OpaqueDeviceConfiguration | undefined;
  readonly requests?: readonly string[] | undefined;
};

export type DeviceConstraint = {
  readonly distinctAttribute?: string | undefined;
  readonly matchAttribute?: string | undefined;
  readonly requests?: readonly string[] | undefined;
};

export type DeviceRequest = {
  readonly exactly?: ExactDeviceRequest | undefined;
  readonly firstAvailable?: readonly DeviceSubRequest[] | undefined;
  readonly name: string;
};

export type DeviceSelector = {
  readonly cel?: CELDeviceSelector | undefined;
};

export type DeviceSubRequest = {
  readonly allocationMode?: string | undefined;
  readonly capacity?: CapacityRequirements | undefined;
  readonly count?: number | undefined;
  readonly deviceClassName: string;
  readonly name: string;
  readonly selectors?: readonly DeviceSelector[] | undefined;
  readonly tolerations?: readonly DeviceToleration[] | undefined;
};

export type DeviceToleration = {
  readonly effect?: string | undefined;
  readonly key?: string | undefined;
  readonly operator?: string | undefined;
  readonly tolerationSeconds?: number | undefined;
  readonly value?: string | undefined;
};

export type DiscoveryEndpointPort = {
  readonly appProtocol?: string | undefined;
  readonly name?: string | undefined;
  readonly port?: number | undefined;
  readonly protocol?: string | undefined;
};

export type DownwardAPIProjection = {
  readonly items?: readonly DownwardAPIVolumeFile[] | undefined;
};

export type DownwardAPIVolumeFile = {
  readonly fieldRef?: ObjectFieldSelector | undefined;
  readonly mode?: number | undefined;
  readonly path: string;
  readonly resourceFieldRef?: ResourceFieldSelector | undefined;
};

export type DownwardAPIVolumeSource = {
  readonly defaultMode?: number | undefined;
  readonly items?: readonly DownwardAPIVolumeFile[] | undefined;
};

export type EmptyDirVolumeSource = {
  readonly medium?: string | undefined;
  readonly sizeLimit?: Quantity | undefined;
};

export type Endpoint = {
  readonly addresses: readonly string[];
  readonly conditions?: EndpointConditions | undefined;
  readonly deprecatedTopology?: { readonly [key: string]: string } | undefined;
  readonly hints?: EndpointHints | undefined;
  readonly hostname?: string | undefined;
  readonly nodeName?: string | undefined;
  readonly targetRef?: ObjectReference | undefined;
  readonly zone?: string | undefined;
};

export type EndpointConditions = {
  readonly ready?: boolean | undefined;
  readonly serving?: boolean | undefined;
  readonly terminating?: boolean | undefined;
};

export type EndpointHints = {
  readonly forNodes?: readonly ForNode[] | undefined;
  readonly forZones?: readonly ForZone[] | undefined;
};

export type EndpointSliceBody = {
  readonly addressType: string;
  readonly endpoints?: readonly Endpoint[] | undefined;
  readonly ports?: readonly DiscoveryEndpointPort[] | undefined;
};

export type EnvFromSource = {
  readonly configMapRef?: ConfigMapEnvSource | undefined;
  readonly prefix?: string | undefined;
  readonly secretRef?: SecretEnvSource | undefined;
};

export type EnvVar = {
  readonly name: string;
  readonly value?: string | undefined;
  readonly valueFrom?: EnvVarSource | undefined;
};

export type EnvVarSource = {
  readonly configMapKeyRef?: ConfigMapKeySelector | undefined;
  readonly fieldRef?: ObjectFieldSelector | undefined;
  readonly fileKeyRef?: FileKeySelector | undefined;
  readonly resourceFieldRef?: ResourceFieldSelector | undefined;
  readonly secretKeyRef?: SecretKeySelector | undefined;
};

export type EphemeralContainer = {
  readonly args?: readonly string[] | undefined;
  readonly command?: readonly string[] | undefined;
  readonly env?: readonly EnvVar[] | undefined;
  readonly envFrom?: readonly EnvFromSource[] | undefined;
  readonly image?: string | undefined;
  readonly imagePullPolicy?: string | undefined;
  readonly lifecycle?: Lifecycle | undefined;
  readonly livenessProbe?: Probe | undefined;
  readonly name: string;
  readonly ports?: readonly ContainerPort[] | undefined;
  readonly readinessProbe?: Probe | undefined;
  readonly resizePolicy?: readonly ContainerResizePolicy[] | undefined;
  readonly resources?: ResourceRequirements | undefined;
  readonly restartPolicy?: string | undefined;
  readonly restartPolicyRules?: readonly ContainerRestartRule[] | undefined;
  readonly securityContext?: SecurityContext | undefined;
  readonly startupProbe?: Probe | undefined;
  readonly stdin?: boolean | undefined;
  readonly stdinOnce?: boolean | undefined;
  readonly targetContainerName?: string | undefined;
  readonly terminationMessagePath?: string | undefined;
  readonly terminationMessagePolicy?: string | undefined;
  readonly tty?: boolean | undefined;
  readonly volumeDevices?: readonly VolumeDevice[] | undefined;
  readonly volumeMounts?: readonly VolumeMount[] | undefined;
  readonly workingDir?: string | undefined;
};

export type EphemeralVolumeSource = {
  readonly volumeClaimTemplate?: PersistentVolumeClaimTemplate | undefined;
};

export type ExactDeviceRequest = {
  readonly adminAccess?: boolean | undefined;
  readonly allocationMode?: string | undefined;
  readonly capacity?: CapacityRequirements | undefined;
  readonly count?: number | undefined;
  readonly deviceClassName: string;
  readonly selectors?: readonly DeviceSelector[] | undefined;
  readonly tolerations?: readonly DeviceToleration[] | undefined;
};

export type ExecAction = {
  readonly command?: readonly string[] | undefined;
};

export type ExternalMetricSource = {
  readonly metric: MetricIdentifier;
  readonly target: MetricTarget;
};

export type FCVolumeSource = {
  readonly fsType?: string | undefined;
  readonly lun?: number | undefined;
  readonly readOnly?: boolean | undefined;
  readonly targetWWNs?: readonly string[] | undefined;
  readonly wwids?: readonly string[] | undefined;
};

export type FileKeySelector = {
  readonly key: string;
  readonly optional?: boolean | undefined;
  readonly path: string;
  readonly volumeName: string;
};

export type FlexVolumeSource = {
  readonly driver: string;
  readonly fsType?: string | undefined;
  readonly options?: { readonly [key: string]: string } | undefined;
  readonly readOnly?: boolean | undefined;
  readonly secretRef?: LocalObjectReference | undefined;
};

export type FlockerVolumeSource = {
  readonly datasetName?: string | undefined;
  readonly datasetUUID?: string | undefined;
};

export type ForNode = {
  readonly name: string;
};

export type ForZone = {
  readonly name: string;
};

export type GCEPersistentDiskVolumeSource = {
  readonly fsType?: string | undefined;
  readonly partition?: number | undefined;
  readonly pdName: string;
  readonly readOnly?: boolean | undefined;
};

export type GRPCAction = {
  readonly port: number;
  readonly service?: string | undefined;
};

export type GitRepoVolumeSource = {
  readonly directory?: string | undefined;
  readonly repository: string;
  readonly revision?: string | undefined;
};

export type GlusterfsVolumeSource = {
  readonly endpoints: string;
  readonly path: string;
  readonly readOnly?: boolean | undefined;
};

export type HPAScalingPolicy = {
  readonly periodSeconds: number;
  readonly type: string;
  readonly value: number;
};

export type HPAScalingRules = {
  readonly policies?: readonly HPAScalingPolicy[] | undefined;
  readonly selectPolicy?: string | undefined;
  readonly stabilizationWindowSeconds?: number | undefined;
  readonly tolerance?: Quantity | undefined;
};

export type HTTPGetAction = {
  readonly host?: string | undefined;
  readonly httpHeaders?: readonly HTTPHeader[] | undefined;
  readonly path?: string | undefined;
  readonly port: number | string;
  readonly scheme?: string | undefined;
};

export type HTTPHeader = {
  readonly name: string;
  readonly value: string;
};

export type HTTPIngressPath = {
  readonly backend: IngressBackend;
  readonly path?: string | undefined;
  readonly pathType: string;
};

export type HTTPIngressRuleValue = {
  readonly paths: readonly HTTPIngressPath[];
};

export type HorizontalPodAutoscalerBehavior = {
  readonly scaleDown?: HPAScalingRules | undefined;
  readonly scaleUp?: HPAScalingRules | undefined;
};

export type HorizontalPodAutoscalerBody = {
  readonly spec: HorizontalPodAutoscalerSpec;
};

export type HorizontalPodAutoscalerSpec = {
  readonly behavior?: HorizontalPodAutoscalerBehavior | undefined;
  readonly maxReplicas: number;
  readonly metrics?: readonly MetricSpec[] | undefined;
  readonly minReplicas?: number | undefined;
  readonly scaleTargetRef: CrossVersionObjectReference;
};

export type HostAlias = {
  readonly hostnames?: readonly string[] | undefined;
  readonly ip: string;
};

export type HostPathVolumeSource = {
  readonly path: string;
  readonly type?: string | undefined;
};

export type IPBlock = {
  readonly cidr: string;
  readonly except?: readonly string[] | undefined;
};

export type ISCSIVolumeSource = {
  readonly chapAuthDiscovery?: boolean | undefined;
  readonly chapAuthSession?: boolean | undefined;
  readonly fsType?: string | undefined;
  readonly initiatorName?: string | undefined;
  readonly iqn: string;
  readonly iscsiInterface?: string | undefined;
  readonly lun: number;
  readonly portals?: readonly string[] | undefined;
  readonly readOnly?: boolean | undefined;
  readonly secretRef?: LocalObjectReference | undefined;
  readonly targetPortal: string;
};

export type ImageVolumeSource = {
  readonly pullPolicy?: string | undefined;
  readonly reference?: string | undefined;
};

export type IngressBackend = {
  readonly resource?: TypedLocalObjectReference | undefined;
  readonly service?: IngressServiceBackend | undefined;
};

export type IngressBody = {
  readonly spec: IngressSpec;
};

export type IngressRule = {
  readonly host?: string | undefined;
  readonly http?: HTTPIngressRuleValue | undefined;
};

export type IngressServiceBackend = {
  readonly name: string;
  readonly port?: ServiceBackendPort | undefined;
};

export type IngressSpec = {
  readonly defaultBackend?: IngressBackend | undefined;
  readonly ingressClassName?: string | undefined;
  readonly rules?: readonly IngressRule[] | undefined;
  readonly tls?: readonly IngressTLS[] | undefined;
};

export type IngressTLS = {
  readonly hosts?: readonly string[] | undefined;
  readonly secretName?: string | undefined;
};

export type JobBody = {
  readonly spec: JobSpec;
};

export type JobSpec = {
  readonly activeDeadlineSeconds?: number | undefined;
  readonly backoffLimit?: number | undefined;
  readonly backoffLimitPerIndex?: number | undefined;
  readonly completionMode?: string | undefined;
  readonly completions?: number | undefined;
  readonly managedBy?: string | undefined;
  readonly manualSelector?: boolean | undefined;
  readonly maxFailedIndexes?: number | undefined;
  readonly parallelism?: number | undefined;
  readonly podFailurePolicy?: PodFailurePolicy | undefined;
  readonly podReplacementPolicy?: string | undefined;
  readonly selector?: LabelSelector | undefined;
  readonly successPolicy?: SuccessPolicy | undefined;
  readonly suspend?: boolean | undefined;
  readonly template: PodTemplateSpec;
  readonly ttlSecondsAfterFinished?: number | undefined;
};

export type JobTemplateSpec = {
  readonly metadata?: ObjectMeta | undefined;
  readonly spec?: JobSpec | undefined;
};

export type KeyToPath = {
  readonly key: string;
  readonly mode?: number | undefined;
  readonly path: string;
};

export type LabelSelector = {
  readonly matchExpressions?: readonly LabelSelectorRequirement[] | undefined;
  readonly matchLabels?: { readonly [key: string]: string } | undefined;
};

export type LabelSelectorRequirement = {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
};

export type LeaseBody = {
  readonly spec: LeaseSpec;
};

export type LeaseSpec = {
  readonly acquireTime?: string | undefined;
  readonly holderIdentity?: string | undefined;
  readonly leaseDurationSeconds?: number | undefined;
  readonly leaseTransitions?: number | undefined;
  readonly preferredHolder?: string | undefined;
  readonly renewTime?: string | undefined;
  readonly strategy?: string | undefined;
};

export type Lifecycle = {
  readonly postStart?: LifecycleHandler | undefined;
  readonly preStop?: LifecycleHandler | undefined;
  readonly stopSignal?: string | undefined;
};

export type LifecycleHandler = {
  readonly exec?: ExecAction | undefined;
  readonly httpGet?: HTTPGetAction | undefined;
  readonly sleep?: SleepAction | undefined;
  readonly tcpSocket?: TCPSocketAction | undefined;
};

export type LimitRangeBody = {
  readonly spec: LimitRangeSpec;
};

export type LimitRangeItem = {
  readonly default?: { readonly [key: string]: Quantity } | undefined;
  readonly defaultRequest?: { readonly [key: string]: Quantity } | undefined;
  readonly max?: { readonly [key: string]: Quantity } | undefined;
  readonly maxLimitRequestRatio?: { readonly [key: string]: Quantity } | undefined;
  readonly min?: { readonly [key: string]: Quantity } | undefined;
  readonly type: string;
};

export type LimitRangeSpec = {
  readonly limits: readonly LimitRangeItem[];
};

export type LocalObjectReference = {
  readonly name?: string | undefined;
};

export type MetricIdentifier = {
  readonly name: string;
  readonly selector?: LabelSelector | undefined;
};

export type MetricSpec = {
  readonly containerResource?: ContainerResourceMetricSource | undefined;
  readonly external?: ExternalMetricSource | undefined;
  readonly object?: ObjectMetricSource | undefined;
  readonly pods?: PodsMetricSource | undefined;
  readonly resource?: ResourceMetricSource | undefined;
  readonly type: string;
};

export type MetricTarget = {
  readonly averageUtilization?: number | undefined;
  readonly averageValue?: Quantity | undefined;
  readonly type: string;
  readonly value?: Quantity | undefined;
};

export type NFSVolumeSource = {
  readonly path: string;
  readonly readOnly?: boolean | undefined;
  readonly server: string;
};

export type NetworkPolicyBody = {
  readonly spec: NetworkPolicySpec;
};

export type NetworkPolicyEgressRule = {
  readonly ports?: readonly NetworkPolicyPort[] | undefined;
  readonly to?: readonly NetworkPolicyPeer[] | undefined;
};

export type NetworkPolicyIngressRule = {
  readonly from?: readonly NetworkPolicyPeer[] | undefined;
  readonly ports?: readonly NetworkPolicyPort[] | undefined;
};

export type NetworkPolicyPeer = {
  readonly ipBlock?: IPBlock | undefined;
  readonly namespaceSelector?: LabelSelector | undefined;
  readonly podSelector?: LabelSelector | undefined;
};

export type NetworkPolicyPort = {
  readonly endPort?: number | undefined;
  readonly port?: number | string | undefined;
  readonly protocol?: string | undefined;
};

export type NetworkPolicySpec = {
  readonly egress?: readonly NetworkPolicyEgressRule[] | undefined;
  readonly ingress?: readonly NetworkPolicyIngressRule[] | undefined;
  readonly podSelector?: LabelSelector | undefined;
  readonly policyTypes?: readonly string[] | undefined;
};

export type NodeAffinity = {
  readonly preferredDuringSchedulingIgnoredDuringExecution?:
    | readonly PreferredSchedulingTerm[]
    | undefined;
  readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector | undefined;
};

export type NodeSelector = {
  readonly nodeSelectorTerms: readonly NodeSelectorTerm[];
};

export type NodeSelectorRequirement = {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[] | undefined;
};

export type NodeSelectorTerm = {
  readonly matchExpressions?: readonly NodeSelectorRequirement[] | undefined;
  readonly matchFields?: readonly NodeSelectorRequirement[] | undefined;
};

export type ObjectFieldSelector = {
  readonly apiVersion?: string | undefined;
  readonly fieldPath: string;
};

export type ObjectMeta = {
  readonly annotations?: { readonly [key: string]: string } | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly labels?: { readonly [key: string]: string } | undefined;
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
};

export type ObjectMetricSource = {
  readonly describedObject: CrossVersionObjectReference;
  readonly metric: MetricIdentifier;
  readonly target: MetricTarget;
};

export type ObjectReference = {
  readonly apiVersion?: string | undefined;
  readonly fieldPath?: string | undefined;
  readonly kind?: string | undefined;
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly resourceVersion?: string | undefined;
  readonly uid?: string | undefined;
};

export type OpaqueDeviceConfiguration = {
  readonly driver: string;
  readonly parameters: Json;
};

export type PersistentVolumeClaim = {
  readonly apiVersion?: string | undefined;
  readonly kind?: string | undefined;
  readonly metadata?: ObjectMeta | undefined;
  readonly spec?: PersistentVolumeClaimSpec | undefined;
};

export type PersistentVolumeClaimBody = {
  readonly spec: PersistentVolumeClaimSpec;
};

export type PersistentVolumeClaimSpec = {
  readonly accessModes?: readonly string[] | undefined;
  readonly dataSource?: TypedLocalObjectReference | undefined;
  readonly dataSourceRef?: TypedObjectReference | undefined;
  readonly resources?: VolumeResourceRequirements | undefined;
  readonly selector?: LabelSelector | undefined;
  readonly storageClassName?: string | undefined;
  readonly volumeAttributesClassName?: string | undefined;
  readonly volumeMode?: string | undefined;
  readonly volumeName?: string | undefined;
};

export type PersistentVolumeClaimTemplate = {
  readonly metadata?: ObjectMeta | undefined;
  readonly spec: PersistentVolumeClaimSpec;
};

export type PersistentVolumeClaimVolumeSource = {
  readonly claimName: string;
  readonly readOnly?: boolean | undefined;
};

export type PhotonPersistentDiskVolumeSource = {
  readonly fsType?: string | undefined;
  readonly pdID: string;
};

export type PodAffinity = {
  readonly preferredDuringSchedulingIgnoredDuringExecution?:
    | readonly WeightedPodAffinityTerm[]
    | undefined;
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[] | undefined;
};

export type PodAffinityTerm = {
  readonly labelSelector?: LabelSelector | undefined;
  readonly matchLabelKeys?: readonly string[] | undefined;
  readonly mismatchLabelKeys?: readonly string[] | undefined;
  readonly namespaceSelector?: LabelSelector | undefined;
  readonly namespaces?: readonly string[] | undefined;
  readonly topologyKey: string;
};

export type PodAntiAffinity = {
  readonly preferredDuringSchedulingIgnoredDuringExecution?:
    | readonly WeightedPodAffinityTerm[]
    | undefined;
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[] | undefined;
};

export type PodBody = {
  readonly spec: PodSpec;
};

export type PodCertificateProjection = {
  readonly certificateChainPath?: string | undefined;
  readonly credentialBundlePath?: string | undefined;
  readonly keyPath?: string | undefined;
  readonly keyType: string;
  readonly maxExpirationSeconds?: number | undefined;
  readonly signerName: string;
  readonly userAnnotations?: { readonly [key: string]: string } | undefined;
};

export type PodDNSConfig = {
  readonly nameservers?: readonly string[] | undefined;
  readonly options?: readonly PodDNSConfigOption[] | undefined;
  readonly searches?: readonly string[] | undefined;
};

export type PodDNSConfigOption = {
  readonly name?: string | undefined;
  readonly value?: string | undefined;
};

export type PodDisruptionBudgetBody = {
  readonly spec: PodDisruptionBudgetSpec;
};

export type PodDisruptionBudgetSpec = {
  readonly maxUnavailable?: number | string | undefined;
  readonly minAvailable?: number | string | undefined;
  readonly selector?: LabelSelector | undefined;
  readonly unhealthyPodEvictionPolicy?: string | undefined;
};

export type PodFailurePolicy = {
  readonly rules: readonly PodFailurePolicyRule[];
};

export type PodFailurePolicyOnExitCodesRequirement = {
  readonly containerName?: string | undefined;
  readonly operator: string;
  readonly values: readonly number[];
};

export type PodFailurePolicyOnPodConditionsPattern = {
  readonly status?: string | undefined;
  readonly type: string;
};

export type PodFailurePolicyRule = {
  readonly action: string;
  readonly onExitCodes?: PodFailurePolicyOnExitCodesRequirement | undefined;
  readonly onPodConditions?: readonly PodFailurePolicyOnPodConditionsPattern[] | undefined;
};

export type PodOS = {
  readonly name: string;
};

export type PodReadinessGate = {
  readonly conditionType: string;
};

export type PodResourceClaim = {
  readonly name: string;
  readonly resourceClaimName?: string | undefined;
  readonly resourceClaimTemplateName?: string | undefined;
};

export type PodSchedulingGate = {
  readonly name: string;
};

export type PodSchedulingGroup = {
  readonly podGroupName?: string | undefined;
};

export type PodSecurityContext = {
  readonly appArmorProfile?: AppArmorProfile | undefined;
  readonly fsGroup?: number | undefined;
  readonly fsGroupChangePolicy?: string | undefined;
  readonly runAsGroup?: number | undefined;
  readonly runAsNonRoot?: boolean | undefined;
  readonly runAsUser?: number | undefined;
  readonly seLinuxChangePolicy?: string | undefined;
  readonly seLinuxOptions?: SELinuxOptions | undefined;
  readonly seccompProfile?: SeccompProfile | undefined;
  readonly supplementalGroups?: readonly number[] | undefined;
  readonly supplementalGroupsPolicy?: string | undefined;
  readonly sysctls?: readonly Sysctl[] | undefined;
  readonly windowsOptions?: WindowsSecurityContextOptions | undefined;
};

export type PodSpec = {
  readonly activeDeadlineSeconds?: number | undefined;
  readonly affinity?: Affinity | undefined;
  readonly automountServiceAccountToken?: boolean | undefined;
  readonly containers: readonly Container[];
  readonly dnsConfig?: PodDNSConfig | undefined;
  readonly dnsPolicy?: string | undefined;
  readonly enableServiceLinks?: boolean | undefined;
  readonly ephemeralContainers?: readonly EphemeralContainer[] | undefined;
  readonly hostAliases?: readonly HostAlias[] | undefined;
  readonly hostIPC?: boolean | undefined;
  readonly hostNetwork?: boolean | undefined;
  readonly hostPID?: boolean | undefined;
  readonly hostUsers?: boolean | undefined;
  readonly hostname?: string | undefined;
  readonly hostnameOverride?: string | undefined;
  readonly imagePullSecrets?: readonly LocalObjectReference[] | undefined;
  readonly initContainers?: readonly Container[] | undefined;
  readonly nodeName?: string | undefined;
  readonly nodeSelector?: { readonly [key: string]: string } | undefined;
  readonly os?: PodOS | undefined;
  readonly overhead?: { readonly [key: string]: Quantity } | undefined;
  readonly preemptionPolicy?: string | undefined;
  readonly priority?: number | undefined;
  readonly priorityClassName?: string | undefined;
  readonly readinessGates?: readonly PodReadinessGate[] | undefined;
  readonly resourceClaims?: readonly PodResourceClaim[] | undefined;
  readonly resources?: ResourceRequirements | undefined;
  readonly restartPolicy?: string | undefined;
  readonly runtimeClassName?: string | undefined;
  readonly schedulerName?: string | undefined;
  readonly schedulingGates?: readonly PodSchedulingGate[] | undefined;
  readonly schedulingGroup?: PodSchedulingGroup | undefined;
  readonly securityContext?: PodSecurityContext | undefined;
  readonly serviceAccount?: string | undefined;
  readonly serviceAccountName?: string | undefined;
  readonly setHostnameAsFQDN?: boolean | undefined;
  readonly shareProcessNamespace?: boolean | undefined;
  readonly subdomain?: string | undefined;
  readonly terminationGracePeriodSeconds?: number | undefined;
  readonly tolerations?: readonly Toleration[] | undefined;
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[] | undefined;
  readonly volumes?: readonly Volume[] | undefined;
};

export type PodTemplateSpec = {
  readonly metadata?: ObjectMeta | undefined;
  readonly spec?: PodSpec | undefined;
};

export type PodsMetricSource = {
  readonly metric: MetricIdentifier;
  readonly target: MetricTarget;
};

export type PolicyRule = {
  readonly apiGroups?: readonly string[] | undefined;
  readonly nonResourceURLs?: readonly string[] | undefined;
  readonly resourceNames?: readonly string[] | undefined;
  readonly resources?: readonly string[] | undefined;
  readonly verbs: readonly string[];
};

export type PortworxVolumeSource = {
  readonly fsType?: string | undefined;
  readonly readOnly?: boolean | undefined;
  readonly volumeID: string;
};

export type PreferredSchedulingTerm = {
  readonly preference: NodeSelectorTerm;
  readonly weight: number;
};

export type PriorityClassBody = {
  readonly description?: string | undefined;
  readonly globalDefault?: boolean | undefined;
  readonly preemptionPolicy?: string | undefined;
  readonly value?: number | undefined;
};

export type Probe = {
  readonly exec?: ExecAction | undefined;
  readonly failureThreshold?: number | undefined;
  readonly grpc?: GRPCAction | undefined;
  readonly httpGet?: HTTPGetAction | undefined;
  readonly initialDelaySeconds?: number | undefined;
  readonly periodSeconds?: number | undefined;
  readonly successThreshold?: number | undefined;
  readonly tcpSocket?: TCPSocketAction | undefined;
  readonly terminationGracePeriodSeconds?: number | undefined;
  readonly timeoutSeconds?: number | undefined;
};

export type ProjectedVolumeSource = {
  readonly defaultMode?: number | undefined;
  readonly sources?: readonly VolumeProjection[] | undefined;
};

export type QuobyteVolumeSource = {
  readonly group?: string | undefined;
  readonly readOnly?: boolean | undefined;
  readonly registry: string;
  readonly tenant?: string | undefined;
  readonly user?: string | undefined;
  readonly volume: string;
};

export type RBDVolumeSource = {
  readonly fsType?: string | undefined;
  readonly image: string;
  readonly keyring?: string | undefined;
  readonly monitors: readonly string[];
  readonly pool?: string | undefined;
  readonly readOnly?: boolean | undefined;
  readonly secretRef?: LocalObjectReference | undefined;
  readonly user?: string | undefined;
};

export type RbacSubject = {
  readonly apiGroup?: string | undefined;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
};

export type ResourceClaimBody = {
  readonly spec: ResourceClaimSpec;
};

export type ResourceClaimSpec = {
  readonly devices?: DeviceClaim | undefined;
};

export type ResourceClaimTemplateBody = {
  readonly spec: ResourceClaimTemplateSpec;
};

export type ResourceClaimTemplateSpec = {
  readonly metadata?: ObjectMeta | undefined;
  readonly spec: ResourceClaimSpec;
};

export type ResourceFieldSelector = {
  readonly containerName?: string | undefined;
  readonly divisor?: Quantity | undefined;
  readonly resource: string;
};

export type ResourceMetricSource = {
  readonly name: string;
  readonly target: MetricTarget;
};

export type ResourceQuotaBody = {
  readonly spec: ResourceQuotaSpec;
};

export type ResourceQuotaSpec = {
  readonly hard?: { readonly [key: string]: Quantity } | undefined;
  readonly scopeSelector?: ScopeSelector | undefined;
  readonly scopes?: readonly string[] | undefined;
};

export type ResourceRequirements = {
  readonly claims?: readonly CoreResourceClaim[] | undefined;
  readonly limits?: { readonly [key: string]: Quantity } | undefined;
  readonly requests?: { readonly [key: string]: Quantity } | undefined;
};

export type RoleBindingBody = {
  readonly roleRef: RoleRef;
  readonly subjects?: readonly RbacSubject[] | undefined;
};

export type RoleBody = {
  readonly rules?: readonly PolicyRule[] | undefined;
};

export type RoleRef = {
  readonly apiGroup?: string | undefined;
  readonly kind: string;
  readonly name: string;
};

export type RollingUpdateDaemonSet = {
  readonly maxSurge?: number | string | undefined;
  readonly maxUnavailable?: number | string | undefined;
};

export type RollingUpdateDeployment = {
  readonly maxSurge?: number | string | undefined;
  readonly maxUnavailable?: number | string | undefined;
};

export type RollingUpdateStatefulSetStrategy = {
  readonly maxUnavailable?: number | string | undefined;
  readonly partition?: number | undefined;
};

export type SELinuxOptions = {
  readonly level?: string | undefined;
  readonly role?: string | undefined;
  readonly type?: string | undefined;
  readonly user?: string | undefined;
};

export type ScaleIOVolumeSource = {
  readonly fsType?: string | undefined;
  readonly gateway: string;
  readonly protectionDomain?: string | undefined;
  readonly readOnly?: boolean | undefined;
  readonly secretRef: LocalObjectReference;
  readonly sslEnabled?: boolean | undefined;
  readonly storageMode?: string | undefined;
  readonly storagePool?: string | undefined;
  readonly system: string;
  readonly volumeName?: string | undefined;
};

export type ScopeSelector = {
  readonly matchExpressions?: readonly ScopedResourceSelectorRequirement[] | undefined;
};

export type ScopedResourceSelectorRequirement = {
  readonly operator: string;
  readonly scopeName: string;
  readonly values?: readonly string[] | undefined;
};

export type SeccompProfile = {
  readonly localhostProfile?: string | undefined;
  readonly type: string;
};

export type SecretBody = {
  readonly data?: { readonly [key: string]: string } | undefined;
  readonly immutable?: boolean | undefined;
  readonly type?: string | undefined;
};

export type SecretEnvSource = {
  readonly name?: string | undefined;
  readonly optional?: boolean | undefined;
};

export type SecretKeySelector = {
  readonly key: string;
  readonly name?: string | undefined;
  readonly optional?: boolean | undefined;
};

export type SecretProjection = {
  readonly items?: readonly KeyToPath[] | undefined;
  readonly name?: string | undefined;
  readonly optional?: boolean | undefined;
};

export type SecretVolumeSource = {
  readonly defaultMode?: number | undefined;
  readonly items?: readonly KeyToPath[] | undefined;
  readonly optional?: boolean | undefined;
  readonly secretName?: string | undefined;
};

export type SecurityContext = {
  readonly allowPrivilegeEscalation?: boolean | undefined;
  readonly appArmorProfile?: AppArmorProfile | undefined;
  readonly capabilities?: Capabilities | undefined;
  readonly privileged?: boolean | undefined;
  readonly procMount?: string | undefined;
  readonly readOnlyRootFilesystem?: boolean | undefined;
  readonly runAsGroup?: number | undefined;
  readonly runAsNonRoot?: boolean | undefined;
  readonly runAsUser?: number | undefined;
  readonly seLinuxOptions?: SELinuxOptions | undefined;
  readonly seccompProfile?: SeccompProfile | undefined;
  readonly windowsOptions?: WindowsSecurityContextOptions | undefined;
};

export type ServiceAccountBody = {
  readonly automountServiceAccountToken?: boolean | undefined;
  readonly imagePullSecrets?: readonly LocalObjectReference[] | undefined;
  readonly secrets?: readonly ObjectReference[] | undefined;
};

export type ServiceAccountTokenProjection = {
  readonly audience?: string | undefined;
  readonly expirationSeconds?: number | undefined;
  readonly path: string;
};

export type ServiceBackendPort = {
  readonly name?: string | undefined;
  readonly number?: number | undefined;
};

export type ServiceBody = {
  readonly spec: ServiceSpec;
};

export type ServicePort = {
  readonly appProtocol?: string | undefined;
  readonly name?: string | undefined;
  readonly nodePort?: number | undefined;
  readonly port: number;
  readonly protocol: string;
  readonly targetPort?: number | string | undefined;
};

export type ServiceSpec = {
  readonly allocateLoadBalancerNodePorts?: boolean | undefined;
  readonly clusterIP?: string | undefined;
  readonly clusterIPs?: readonly string[] | undefined;
  readonly externalIPs?: readonly string[] | undefined;
  readonly externalName?: string | undefined;
  readonly externalTrafficPolicy?: string | undefined;
  readonly healthCheckNodePort?: number | undefined;
  readonly internalTrafficPolicy?: string | undefined;
  readonly ipFamilies?: readonly string[] | undefined;
  readonly ipFamilyPolicy?: string | undefined;
  readonly loadBalancerClass?: string | undefined;
  readonly loadBalancerIP?: string | undefined;
  readonly loadBalancerSourceRanges?: readonly string[] | undefined;
  readonly ports?: readonly ServicePort[] | undefined;
  readonly publishNotReadyAddresses?: boolean | undefined;
  readonly selector?: { readonly [key: string]: string } | undefined;
  readonly sessionAffinity?: string | undefined;
  readonly sessionAffinityConfig?: SessionAffinityConfig | undefined;
  readonly trafficDistribution?: string | undefined;
  readonly type?: string | undefined;
};

export type SessionAffinityConfig = {
  readonly clientIP?: ClientIPConfig | undefined;
};

export type SleepAction = {
  readonly seconds: number;
};

export type StatefulSetBody = {
  readonly spec: StatefulSetSpec;
};

export type StatefulSetOrdinals = {
  readonly start?: number | undefined;
};

export type StatefulSetPersistentVolumeClaimRetentionPolicy = {
  readonly whenDeleted?: string | undefined;
  readonly whenScaled?: string | undefined;
};

export type StatefulSetSpec = {
  readonly minReadySeconds?: number | undefined;
  readonly ordinals?: StatefulSetOrdinals | undefined;
  readonly persistentVolumeClaimRetentionPolicy?:
    | StatefulSetPersistentVolumeClaimRetentionPolicy
    | undefined;
  readonly podManagementPolicy?: string | undefined;
  readonly replicas?: number | undefined;
  readonly revisionHistoryLimit?: number | undefined;
  readonly selector: LabelSelector;
  readonly serviceName?: string | undefined;
  readonly template: PodTemplateSpec;
  readonly updateStrategy?: StatefulSetUpdateStrategy | undefined;
  readonly volumeClaimTemplates?: readonly PersistentVolumeClaim[] | undefined;
};

export type StatefulSetUpdateStrategy = {
  readonly rollingUpdate?: RollingUpdateStatefulSetStrategy | undefined;
  readonly type?: string | undefined;
};

export type StorageClassBody = {
  readonly allowVolumeExpansion?: boolean | undefined;
  readonly allowedTopologies?: readonly TopologySelectorTerm[] | undefined;
  readonly mountOptions?: readonly string[] | undefined;
  readonly parameters?: { readonly [key: string]: string } | undefined;
  readonly provisioner: string;
  readonly reclaimPolicy?: string | undefined;
  readonly volumeBindingMode?: string | undefined;
};

export type StorageOSVolumeSource = {
  readonly fsType?: string | undefined;
  readonly readOnly?: boolean | undefined;
  readonly secretRef?: LocalObjectReference | undefined;
  readonly volumeName?: string | undefined;
  readonly volumeNamespace?: string | undefined;
};

export type SuccessPolicy = {
  readonly rules: readonly SuccessPolicyRule[];
};

export type SuccessPolicyRule = {
  readonly succeededCount?: number | undefined;
  readonly succeededIndexes?: string | undefined;
};

export type Sysctl = {
  readonly name: string;
  readonly value: string;
};

export type TCPSocketAction = {
  readonly host?: string | undefined;
  readonly port: number | string;
};

export type Toleration = {
  readonly effect?: string | undefined;
  readonly key?: string | undefined;
  readonly operator?: string | undefined;
  readonly tolerationSeconds?: number | undefined;
  readonly value?: string | undefined;
};

export type TopologySelectorLabelRequirement = {
  readonly key: string;
  readonly values: readonly string[];
};

export type TopologySelectorTerm = {
  readonly matchLabelExpressions?: readonly TopologySelectorLabelRequirement[] | undefined;
};

export type TopologySpreadConstraint = {
  readonly labelSelector?: LabelSelector | undefined;
  readonly matchLabelKeys?: readonly string[] | undefined;
  readonly maxSkew: number;
  readonly minDomains?: number | undefined;
  readonly nodeAffinityPolicy?: string | undefined;
  readonly nodeTaintsPolicy?: string | undefined;
  readonly topologyKey: string;
  readonly whenUnsatisfiable: string;
};

export type TypedLocalObjectReference = {
  readonly apiGroup?: string | undefined;
  readonly kind: string;
  readonly name: string;
};

export type TypedObjectReference = {
  readonly apiGroup?: string | undefined;
  readonly kind: string;
  readonly name: string;
  readonly namespace?: string | undefined;
};

export type Volume = {
  readonly awsElasticBlockStore?: AWSElasticBlockStoreVolumeSource | undefined;
  readonly azureDisk?: AzureDiskVolumeSource | undefined;
  readonly azureFile?: AzureFileVolumeSource | undefined;
  readonly cephfs?: CephFSVolumeSource | undefined;
  readonly cinder?: CinderVolumeSource | undefined;
  readonly configMap?: ConfigMapVolumeSource | undefined;
  readonly csi?: CSIVolumeSource | undefined;
  readonly downwardAPI?: DownwardAPIVolumeSource | undefined;
  readonly emptyDir?: EmptyDirVolumeSource | undefined;
  readonly ephemeral?: EphemeralVolumeSource | undefined;
  readonly fc?: FCVolumeSource | undefined;
  readonly flexVolume?: FlexVolumeSource | undefined;
  readonly flocker?: FlockerVolumeSource | undefined;
  readonly gcePersistentDisk?: GCEPersistentDiskVolumeSource | undefined;
  readonly gitRepo?: GitRepoVolumeSource | undefined;
  readonly glusterfs?: GlusterfsVolumeSource | undefined;
  readonly hostPath?: HostPathVolumeSource | undefined;
  readonly image?: ImageVolumeSource | undefined;
  readonly iscsi?: ISCSIVolumeSource | undefined;
  readonly name: string;
  readonly nfs?: NFSVolumeSource | undefined;
  readonly persistentVolumeClaim?: PersistentVolumeClaimVolumeSource | undefined;
  readonly photonPersistentDisk?: PhotonPersistentDiskVolumeSource | undefined;
  readonly portworxVolume?: PortworxVolumeSource | undefined;
  readonly projected?: ProjectedVolumeSource | undefined;
  readonly quobyte?: QuobyteVolumeSource | undefined;
  readonly rbd?: RBDVolumeSource | undefined;
  readonly scaleIO?: ScaleIOVolumeSource | undefined;
  readonly secret?: SecretVolumeSource | undefined;
  readonly storageos?: StorageOSVolumeSource | undefined;
  readonly vsphereVolume?: VsphereVirtualDiskVolumeSource | undefined;
};

export type VolumeDevice = {
  readonly devicePath: string;
  readonly name: string;
};

export type VolumeMount = {
  readonly mountPath: string;
  readonly mountPropagation?: string | undefined;
  readonly name: string;
  readonly readOnly?: boolean | undefined;
  readonly recursiveReadOnly?: string | undefined;
  readonly subPath?: string | undefined;
  readonly subPathExpr?: string | undefined;
};

export type VolumeProjection = {
  readonly clusterTrustBundle?: ClusterTrustBundleProjection | undefined;
  readonly configMap?: ConfigMapProjection | undefined;
  readonly downwardAPI?: DownwardAPIProjection | undefined;
  readonly podCertificate?: PodCertificateProjection | undefined;
  readonly secret?: SecretProjection | undefined;
  readonly serviceAccountToken?: ServiceAccountTokenProjection | undefined;
};

export type VolumeResourceRequirements = {
  readonly limits?: { readonly [key: string]: Quantity } | undefined;
  readonly requests?: { readonly [key: string]: Quantity } | undefined;
};

export type VsphereVirtualDiskVolumeSource = {
  readonly fsType?: string | undefined;
  readonly storagePolicyID?: string | undefined;
  readonly storagePolicyName?: string | undefined;
  readonly volumePath: string;
};

export type WeightedPodAffinityTerm = {
  readonly podAffinityTerm: PodAffinityTerm;
  readonly weight: number;
};

export type WindowsSecurityContextOptions = {
  readonly gmsaCredentialSpec?: string | undefined;
  readonly gmsaCredentialSpecName?: string | undefined;
  readonly hostProcess?: boolean | undefined;
  readonly runAsUserName?: string | undefined;
};
