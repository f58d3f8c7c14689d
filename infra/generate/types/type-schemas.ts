import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

type Schema = Readonly<Record<string, unknown>>;

/** The types to export, together with the types that they contain. */
const roots: readonly string[] = [
  'io.k8s.api.apps.v1.DeploymentStrategy',
  'io.k8s.api.core.v1.PodTemplateSpec',
  'io.k8s.api.core.v1.ServiceSpec',
  'io.k8s.api.networking.v1.IngressSpec',
  'io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector',
];

/** Written by hand, in `types/scalars.ts`. */
const scalars: readonly string[] = ['IntOrString', 'Quantity'];

/** A TypeScript expression, marked by `@` in the JSON of a schema. */
type Code = `@${string}`;
const codeOf = (expression: string): Code => `@${expression}`;

/** Selects the fields of two types; other types keep all. A pod template must not set `ephemeralContainers`. */
const isKept: Readonly<Record<string, (field: string) => boolean>> = {
  ObjectMeta: (field) => ['annotations', 'finalizers', 'labels'].includes(field),
  PodSpec: (field) => field !== 'ephemeralContainers',
};

/** Types whose `name` becomes required. In Kubernetes it is optional, but only for compatibility. */
const named: readonly string[] = [
  'ConfigMapEnvSource',
  'ConfigMapKeySelector',
  'ConfigMapProjection',
  'LocalObjectReference',
  'SecretEnvSource',
  'SecretKeySelector',
  'SecretProjection',
];

/** The export of `types/rules.ts` that has the rules of each type. */
const rules: Readonly<Record<string, string>> = {
  AppArmorProfile: 'localProfile',
  Container: 'container',
  DeploymentStrategy: 'deploymentStrategy',
  DownwardAPIVolumeFile: 'downwardAPIVolumeFile',
  EnvFromSource: 'envFromSource',
  EnvVar: 'envVar',
  IngressBackend: 'ingressBackend',
  LabelSelectorRequirement: 'requirement',
  NodeSelectorRequirement: 'nodeRequirement',
  PersistentVolumeClaimSpec: 'persistentVolumeClaimSpec',
  PodSpec: 'podSpec',
  Probe: 'probe',
  ResourceRequirements: 'resourceRequirements',
  SeccompProfile: 'localProfile',
  SecurityContext: 'securityContext',
  ServiceBackendPort: 'serviceBackendPort',
  ServiceSpec: 'serviceSpec',
  Toleration: 'toleration',
  TopologySpreadConstraint: 'topologySpreadConstraint',
  VolumeMount: 'volumeMount',
  VolumeResourceRequirements: 'volumeResourceRequirements',
};

const atMost = (maxItems: number) => ({ maxItems });
const dnsLabel = { maxLength: 63, pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$' };
const notEmpty = { minLength: 1 };
const labelKey = {
  maxLength: 317,
  pattern:
    '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$',
};
const labelValue = { pattern: '^([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$' };
/** A map whose keys must obey `rule`, an export of `types/rules.ts`. */
const keyed = (rule: string) => ({
  maxProperties: 32,
  'x-kubernetes-validations': codeOf(`rules.${rule}`),
});
const labels = { ...keyed('qualifiedKeys'), additionalProperties: labelValue };
const keyOfData = { maxLength: 253, pattern: '^[-._a-zA-Z0-9]+$' };
const subdomain = {
  maxLength: 253,
  pattern: '^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*)?$',
};
/** Matches any part of a path except `..`. */
const part = '(\\.|\\.?[^/.][^/]*|\\.\\.[^/]+)';
/** Matches the first segment of a path that the kubelet writes to: it must not begin with `..`. */
const ownPart = '(\\.|\\.?[^/.][^/]*)';
const parts = `(/${part}?)*`;
const relativePath = { pattern: `^(${part}${parts})?$` };
const writtenPath = { pattern: `^${ownPart}${parts}$` };
const octet = '(25[0-5]|2[0-4][0-9]|[01]?[0-9]?[0-9])';
/** An IPv4 address, or text in the form of an IPv6 address. */
const ip = {
  maxLength: 45,
  pattern: `^(${octet}(\\.${octet}){3}|[0-9a-fA-F]*:[0-9a-fA-F:]*:[0-9a-fA-F:.]*)$`,
};
const cidr = { maxLength: 49, pattern: '^ *[0-9a-fA-F:.]+/[0-9]{1,3} *$' };
const natural = { minimum: 0 };
const positive = { minimum: 1 };
const fileMode = { ...natural, maximum: 0o777 };
const id = { ...natural, maximum: 2 ** 31 - 1 };
const port = { ...positive, maximum: 65_535 };
const intOrPercent = codeOf('IntOrPercent');
const portOrName = codeOf('portOrName');
const weight = { ...positive, maximum: 100 };

/**
 * Limits that Kubernetes validates but does not publish in its OpenAPI. Lists whose items have rules get a maximum,
 * because the API server refuses rules whose estimated cost is unbounded.
 */
const limits: Readonly<Record<string, Schema | Code>> = {
  ...Object.fromEntries(named.map((name) => [`${name}.name`, notEmpty])),
  EnvVarSource: { minProperties: 1, maxProperties: 1 },
  LifecycleHandler: { minProperties: 1, maxProperties: 1 },
  Volume: { maxProperties: 2 },
  VolumeProjection: { minProperties: 1, maxProperties: 1 },
  'Container.name': dnsLabel,
  'ContainerPort.protocol': { default: 'TCP' },
  'Container.env': atMost(512),
  'Container.envFrom': atMost(64),
  'Container.volumeMounts': atMost(128),
  'ContainerPort.containerPort': port,
  'ContainerPort.hostPort': { ...natural, maximum: port.maximum },
  'EnvVar.name': { ...notEmpty, pattern: '^[ -<>-~]+$' },
  'GRPCAction.port': port,
  'LabelSelector.matchExpressions': atMost(64),
  'LabelSelectorRequirement.key': labelKey,
  'LabelSelectorRequirement.operator': { enum: ['DoesNotExist', 'Exists', 'In', 'NotIn'] },
  'LabelSelectorRequirement.values': { ...atMost(256), items: labelValue },
  'NodeAffinity.preferredDuringSchedulingIgnoredDuringExecution': atMost(64),
  'NodeSelector.nodeSelectorTerms': { minItems: 1, ...atMost(64) },
  'NodeSelectorRequirement.key': labelKey,
  'NodeSelectorRequirement.values': atMost(256),
  'NodeSelectorTerm.matchExpressions': atMost(64),
  'NodeSelectorTerm.matchFields': atMost(64),
  'PodAffinity.preferredDuringSchedulingIgnoredDuringExecution': atMost(64),
  'PodAffinity.requiredDuringSchedulingIgnoredDuringExecution': atMost(64),
  'PodAffinityTerm.topologyKey': labelKey,
  'PodAntiAffinity.preferredDuringSchedulingIgnoredDuringExecution': atMost(64),
  'PodAntiAffinity.requiredDuringSchedulingIgnoredDuringExecution': atMost(64),
  'PodSecurityContext.fsGroup': id,
  'PodSecurityContext.runAsGroup': id,
  'PodSecurityContext.runAsUser': id,
  // Omits MountOption, which needs a feature gate that is off by default.
  'PodSecurityContext.seLinuxChangePolicy': { enum: ['Recursive'] },
  'PodSecurityContext.supplementalGroups': { items: id },
  'PodSpec.containers': { minItems: 1, ...atMost(64) },
  'PodSpec.initContainers': atMost(64),
  'PodSpec.tolerations': atMost(256),
  'PodSpec.topologySpreadConstraints': atMost(64),
  'PreferredSchedulingTerm.weight': weight,
  'Probe.failureThreshold': natural,
  'Probe.initialDelaySeconds': natural,
  'Probe.periodSeconds': natural,
  'Probe.successThreshold': natural,
  'Probe.timeoutSeconds': natural,
  'SecurityContext.runAsGroup': id,
  'SecurityContext.runAsUser': id,
  'ServicePort.port': port,
  'ServicePort.protocol': { default: 'TCP' },
  'Sysctl.name': {
    maxLength: 253,
    pattern: '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$',
  },
  // Omits Gt and Lt, which need a feature gate that is off by default.
  'Toleration.operator': { enum: ['Equal', 'Exists'] },
  'Toleration.key': { ...labelKey, pattern: `^$|${labelKey.pattern}` },
  'Toleration.value': labelValue,
  'TopologySpreadConstraint.maxSkew': positive,
  'TopologySpreadConstraint.topologyKey': notEmpty,
  'Volume.name': dnsLabel,
  'VolumeDevice.devicePath': notEmpty,
  'VolumeDevice.name': notEmpty,
  'VolumeMount.mountPath': notEmpty,
  'VolumeMount.name': notEmpty,
  'VolumeMount.recursiveReadOnly': { enum: ['Disabled', 'Enabled', 'IfPossible'] },
  'WeightedPodAffinityTerm.weight': weight,
  'ConfigMapKeySelector.key': keyOfData,
  'SecretKeySelector.key': keyOfData,
  ConfigMapVolumeSource: { required: ['name'] },
  SecretVolumeSource: { required: ['secretName'] },
  'ConfigMapVolumeSource.defaultMode': fileMode,
  'SecretVolumeSource.defaultMode': fileMode,
  'ProjectedVolumeSource.defaultMode': fileMode,
  'DownwardAPIVolumeSource.defaultMode': fileMode,
  'DownwardAPIVolumeFile.mode': fileMode,
  'KeyToPath.mode': fileMode,
  'ContainerPort.name': { maxLength: 15, pattern: '^([0-9]-?)*[a-z](-?[a-z0-9])*$' },
  'EnvFromSource.prefix': { pattern: '^[ -<>-~]*$' },
  ExecAction: { required: ['command'] },
  'ExecAction.command': { minItems: 1 },
  'HTTPGetAction.port': portOrName,
  'TCPSocketAction.port': portOrName,
  'HostAlias.ip': ip,
  'HostAlias.hostnames': { items: subdomain },
  'HostPathVolumeSource.path': { ...notEmpty, pattern: `^${part}?${parts}$` },
  'LabelSelector.matchLabels': labels,
  'ObjectMeta.labels': labels,
  'PodAffinityTerm.namespaces': { items: dnsLabel },
  'PodSpec.activeDeadlineSeconds': positive,
  'PodSpec.hostname': { ...dnsLabel, pattern: `^$|${dnsLabel.pattern}` },
  'PodSpec.nodeSelector': labels,
  'PodSpec.priorityClassName': subdomain,
  'PodSpec.serviceAccountName': subdomain,
  'Probe.terminationGracePeriodSeconds': positive,
  'RollingUpdateDeployment.maxSurge': intOrPercent,
  'RollingUpdateDeployment.maxUnavailable': intOrPercent,
  'SleepAction.seconds': natural,
  'TopologySpreadConstraint.minDomains': positive,
  'VolumeMount.subPath': relativePath,
  'VolumeMount.subPathExpr': relativePath,
  'CSIVolumeSource.driver': {
    maxLength: 63,
    pattern: '^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?(\\.[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?)*$',
  },
  'ClientIPConfig.timeoutSeconds': { ...positive, maximum: 86_400 },
  'ClusterTrustBundleProjection.path': writtenPath,
  'ConfigMapVolumeSource.name': notEmpty,
  'DownwardAPIVolumeFile.path': writtenPath,
  EphemeralVolumeSource: { required: ['volumeClaimTemplate'] },
  'HTTPHeader.name': { pattern: '^[-A-Za-z0-9]+$' },
  'HTTPIngressPath.path': { pattern: '^(/|$)' },
  'IngressRule.host': {
    maxLength: subdomain.maxLength,
    pattern: subdomain.pattern.replace('^(', '^((\\*\\.)?'),
  },
  'KeyToPath.key': notEmpty,
  'KeyToPath.path': writtenPath,
  'NFSVolumeSource.path': { pattern: '^/' },
  'NFSVolumeSource.server': notEmpty,
  'ObjectFieldSelector.fieldPath': {
    pattern:
      "^(metadata\\.(name|namespace|uid|(labels|annotations)(\\['.+'\\])?)|spec\\.(host|nodeName|serviceAccountName)|status\\.(host|pod)IPs?)$",
  },
  'ObjectMeta.annotations': keyed('annotationKeys'),
  PersistentVolumeClaimSpec: { required: ['accessModes', 'resources'] },
  'PersistentVolumeClaimSpec.accessModes': { minItems: 1, ...atMost(4) },
  'PersistentVolumeClaimSpec.storageClassName': subdomain,
  'PersistentVolumeClaimVolumeSource.claimName': notEmpty,
  'PodDNSConfig.nameservers': { ...atMost(3), items: ip },
  'PodDNSConfig.searches': atMost(32),
  PodDNSConfigOption: { required: ['name'] },
  'PodDNSConfigOption.name': notEmpty,
  'PodOS.name': { enum: ['linux', 'windows'] },
  'PodSpec.runtimeClassName': subdomain,
  'PodSpec.subdomain': { ...dnsLabel, pattern: `^$|${dnsLabel.pattern}` },
  'PodSpec.volumes': atMost(64),
  'ProjectedVolumeSource.sources': atMost(12),
  'ResourceFieldSelector.resource': {
    pattern: '^(limits|requests)\\.(cpu|memory|ephemeral-storage|hugepages-.+)$',
  },
  'ResourceRequirements.limits': keyed('resourceKeys'),
  'ResourceRequirements.requests': keyed('resourceKeys'),
  'SecretVolumeSource.secretName': notEmpty,
  'ServiceAccountTokenProjection.expirationSeconds': { minimum: 600, maximum: 2 ** 32 },
  'ServiceAccountTokenProjection.path': writtenPath,
  'ServicePort.name': { ...dnsLabel, pattern: `^$|${dnsLabel.pattern}` },
  'ServicePort.targetPort': codeOf('targetPort'),
  'ServiceSpec.clusterIP': { ...ip, pattern: `^$|^None$|${ip.pattern}` },
  'ServiceSpec.externalIPs': { items: ip },
  'ServiceSpec.loadBalancerSourceRanges': { items: cidr },
  'ServiceSpec.externalName': subdomain,
  'ServiceSpec.ports': atMost(64),
  'ServiceSpec.selector': labels,
};

const kept: readonly string[] = [
  'type',
  'enum',
  'required',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-map-type',
];

const root = new URL('../../../', import.meta.url);
const pathOf = (file: string): string => fileURLToPath(new URL(file, root));
const target = 'types/kubernetes.ts';
const apiTypes = '../shared/kinds/child-types/api-types.ts';

/** Generates `types/kubernetes.ts` from the OpenAPI of the newest Kubernetes. */
export function typeSchemas(): string {
  const { version, definitions } = JSON.parse(
    readFileSync(pathOf('infra/local/api-server/generated/schemas.json'), 'utf8'),
  );
  const constants = new Map<string, string>();
  const unused = new Set(Object.keys(limits));
  const limitsOf = (name: string): Schema | Code => {
    unused.delete(name);
    return limits[name] ?? {};
  };
  /** Writes a definition after the definitions that it refers to. Returns the name of the constant. */
  const write = (definition: string): Code => {
    const name = definition.slice(definition.lastIndexOf('.') + 1);
    if (scalars.includes(name) || constants.has(name)) return codeOf(name);
    const { properties, ...schema } = definitions[definition];
    const fields = Object.entries(properties as Readonly<Record<string, Schema>>)
      .filter(([field]) => isKept[name]?.(field) ?? true)
      .map(([field, one]) => [field, fieldOf(one, limitsOf(`${name}.${field}`), write)]);
    constants.set(
      name,
      declarationOf(name, {
        ...objectOf(name, schema),
        ...(limitsOf(name) as Schema),
        properties: Object.fromEntries(fields),
      }),
    );
    return codeOf(name);
  };
  for (const one of roots) write(one);
  if (unused.size > 0) throw new Error(`unknown: ${[...unused].join(', ')}; correct limits`);
  return formatted([headOf(version), ...constants.values()].join('\n'));
}

const picked = (schema: Schema): Schema =>
  Object.fromEntries(Object.entries(schema).filter(([name]) => kept.includes(name)));

function objectOf(name: string, schema: Schema): Schema {
  const required = [schema.required ?? [], named.includes(name) ? 'name' : []].flat();
  const rule = rules[name];
  return {
    ...picked(schema),
    ...(required.length > 0 && { required }),
    ...(rule !== undefined && { 'x-kubernetes-validations': codeOf(`rules.${rule}`) }),
  };
}

function fieldOf(
  schema: Schema,
  limit: Schema | Code,
  write: (definition: string) => Code,
): Schema | Code {
  if (typeof limit === 'string') return limit;
  const { $ref, allOf, items, additionalProperties, format } = schema;
  const inner = (one: unknown, its: unknown = {}): Schema | Code =>
    fieldOf(one as Schema, its as Schema, write);
  const [reference] = [allOf ?? []].flat();
  if (reference !== undefined) return inner(reference);
  if ($ref !== undefined) return write(String($ref).replace('#/definitions/', ''));
  if (schema.type === undefined) throw new Error(`not supported: ${JSON.stringify(schema)}`);
  if (format === 'int32' && Object.keys(limit).length === 0) return codeOf('int32');
  return {
    ...picked(schema),
    ...(format === 'int32' && { minimum: -(2 ** 31), maximum: 2 ** 31 - 1 }),
    ...limit,
    ...(items !== undefined && { items: inner(items, limit.items) }),
    ...(additionalProperties !== undefined && {
      additionalProperties: inner(additionalProperties, limit.additionalProperties),
    }),
  };
}

/** Types with another name in `api-types.ts`. */
const otherNames: Readonly<Record<string, string>> = { ResourceClaim: 'CoreResourceClaim' };

const typeOf = (name: string): string =>
  `api.${otherNames[name] ?? name}${named.includes(name) ? ' & { readonly name: string }' : ''}`;

function declarationOf(name: string, schema: Schema): string {
  const text = JSON.stringify(schema).replaceAll(/"@([\w.]+)"/g, '$1');
  return `export const ${name} = ${text} as object as TUnsafe<${typeOf(name)}>;\n`;
}

const headOf = (version: string): string => `
/** Schemas of types of Kubernetes ${version}. Written by \`npm run generate:types\`. */

import type { TUnsafe } from 'typebox';
import type * as api from '${apiTypes}';
import * as rules from './rules.ts';
import { IntOrPercent, int32, portOrName, Quantity, targetPort } from './scalars.ts';
`;

const formatted = (code: string): string =>
  execFileSync('biome', ['format', `--stdin-file-path=${target}`], {
    cwd: pathOf('.'),
    input: code,
    encoding: 'utf8',
    env: { PATH: pathOf('node_modules/.bin') },
  });

/** Writes the file. Run this script after `infra/local/generate` has added another version of Kubernetes. */
if (import.meta.main) writeFileSync(pathOf(target), typeSchemas());
