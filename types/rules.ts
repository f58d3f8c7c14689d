import type { Rule } from '../shared/kinds/schema/rules.ts';
import { isLarger } from '../shared/quantity.ts';

type Fields = Readonly<Record<string, unknown>>;

const isSet = (self: Fields, field: string): boolean => self[field] !== undefined;

/** Validation rules of Kubernetes that a schema cannot express, for each type that has them. */
export const envVar: readonly Rule[] = [
  {
    rule: "!has(self.valueFrom) || !has(self.value) || self.value == ''",
    holds: (self: Fields) => !(isSet(self, 'valueFrom') && self.value),
    message: 'set value or valueFrom, not both',
  },
];

export const envFromSource: readonly Rule[] = [
  {
    rule: 'has(self.configMapRef) != has(self.secretRef)',
    holds: (self: Fields) => isSet(self, 'configMapRef') !== isSet(self, 'secretRef'),
    message: 'set either configMapRef or secretRef',
  },
];

const handlers = ['exec', 'grpc', 'httpGet', 'tcpSocket'];

export const probe: readonly Rule[] = [
  {
    rule: `${handlers.map((name) => `(has(self.${name}) ? 1 : 0)`).join(' + ')} == 1`,
    holds: (self: Fields) => handlers.filter((name) => isSet(self, name)).length === 1,
    message: `set exactly one of ${handlers.join(', ')}`,
  },
];

/** Rules for the requirements of label selectors and of node selectors. */
export const requirement: readonly Rule[] = [
  {
    rule: "(self.operator in ['Exists', 'DoesNotExist']) != (has(self.values) && size(self.values) > 0)",
    holds: ({ operator, values = [] }: { operator: string; values?: readonly string[] }) =>
      /Exist/.test(operator) !== values.length > 0,
    message: 'values must be set, unless the operator is Exists or DoesNotExist',
  },
];

export const nodeRequirement: readonly Rule[] = [
  ...requirement,
  {
    rule: "!(self.operator in ['Gt', 'Lt']) || (has(self.values) && size(self.values) == 1)",
    holds: ({ operator, values = [] }: { operator: string; values?: readonly string[] }) =>
      !['Gt', 'Lt'].includes(operator) || values.length === 1,
    message: 'the operators Gt and Lt need exactly one value',
  },
];

/** The rules of seccomp and AppArmor profiles. */
export const localProfile: readonly Rule[] = [
  {
    rule: "has(self.localhostProfile) == (self.type == 'Localhost')",
    holds: ({ type, localhostProfile }: { type: string; localhostProfile?: string }) =>
      (localhostProfile !== undefined) === (type === 'Localhost'),
    message: 'localhostProfile must be set only with the type Localhost',
  },
];

interface SecurityContext {
  readonly privileged?: boolean;
  readonly allowPrivilegeEscalation?: boolean;
}

export const securityContext: readonly Rule[] = [
  {
    rule: '!has(self.privileged) || !self.privileged || !has(self.allowPrivilegeEscalation) || self.allowPrivilegeEscalation',
    holds: ({ privileged, allowPrivilegeEscalation }: SecurityContext) =>
      privileged !== true || allowPrivilegeEscalation !== false,
    message: 'allowPrivilegeEscalation must not be false in a privileged container',
  },
];

interface TopologySpreadConstraint {
  readonly whenUnsatisfiable: string;
  readonly minDomains?: number;
  readonly matchLabelKeys?: readonly string[];
  readonly labelSelector?: object;
}

export const topologySpreadConstraint: readonly Rule[] = [
  {
    rule: "!has(self.minDomains) || self.whenUnsatisfiable == 'DoNotSchedule'",
    holds: ({ minDomains, whenUnsatisfiable }: TopologySpreadConstraint) =>
      minDomains === undefined || whenUnsatisfiable === 'DoNotSchedule',
    message: 'minDomains needs whenUnsatisfiable: DoNotSchedule',
  },
  {
    rule: '!has(self.matchLabelKeys) || size(self.matchLabelKeys) == 0 || has(self.labelSelector)',
    holds: ({ matchLabelKeys = [], labelSelector }: TopologySpreadConstraint) =>
      matchLabelKeys.length === 0 || labelSelector !== undefined,
    message: 'matchLabelKeys needs a labelSelector',
  },
];

export const deploymentStrategy: readonly Rule[] = [
  {
    rule: "!has(self.type) || self.type != 'Recreate' || !has(self.rollingUpdate)",
    holds: (self: Fields) => self.type !== 'Recreate' || !isSet(self, 'rollingUpdate'),
    message: 'rollingUpdate must not be set with the type Recreate',
  },
];

interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

export const toleration: readonly Rule[] = [
  {
    rule: "(has(self.key) && self.key != '') || (has(self.operator) && self.operator == 'Exists')",
    holds: ({ key, operator }: Toleration) => Boolean(key) || operator === 'Exists',
    message: 'if `key` is omitted, `operator` must be `Exists`',
  },
  {
    rule: "!has(self.operator) || self.operator != 'Exists' || !has(self.value) || self.value == ''",
    holds: ({ operator, value }: Toleration) => operator !== 'Exists' || !value,
    message: 'value must not be set with the operator Exists',
  },
  {
    rule: "!has(self.tolerationSeconds) || (has(self.effect) && self.effect == 'NoExecute')",
    holds: ({ tolerationSeconds, effect }: Toleration) =>
      tolerationSeconds === undefined || effect === 'NoExecute',
    message: 'tolerationSeconds needs the effect NoExecute',
  },
];

interface VolumeMount {
  readonly subPath?: string;
  readonly subPathExpr?: string;
  readonly mountPropagation?: string;
  readonly readOnly?: boolean;
  readonly recursiveReadOnly?: string;
}

export const volumeMount: readonly Rule[] = [
  {
    rule: "!has(self.subPath) || self.subPath == '' || !has(self.subPathExpr) || self.subPathExpr == ''",
    holds: ({ subPath, subPathExpr }: VolumeMount) => !subPath || !subPathExpr,
    message: 'set subPath or subPathExpr, not both',
  },
  {
    rule: "!has(self.recursiveReadOnly) || self.recursiveReadOnly == 'Disabled' || (has(self.readOnly) && self.readOnly && (!has(self.mountPropagation) || self.mountPropagation == 'None'))",
    holds: ({ recursiveReadOnly: how, readOnly, mountPropagation: to = 'None' }: VolumeMount) =>
      how === undefined || how === 'Disabled' || (readOnly === true && to === 'None'),
    message: 'recursiveReadOnly needs readOnly: true, and mountPropagation must be unset or None',
  },
];

/**
 * Requires that the keys of a map match a pattern, and limits the length of their prefixes. The pattern must mean the
 * same in RE2 and in JavaScript.
 */
const keys = (pattern: string, message: string, caseOf = ''): readonly Rule[] => [
  {
    rule: `self.all(key, key.indexOf('/') <= 253 && key${caseOf}.matches('^${pattern}$'))`,
    holds: (self: Fields) => {
      const form = new RegExp(`^${pattern}$`, caseOf === '' ? '' : 'i');
      return Object.keys(self).every((key) => key.indexOf('/') <= 253 && form.test(key));
    },
    message,
  },
];

const prefix = '[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/';
const name = '[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const qualified =
  'keys must be names of at most 63 characters, with or without a prefix such as example.org/';

export const qualifiedKeys = keys(`(${prefix})?${name}`, qualified);
export const annotationKeys = keys(`(${prefix})?${name}`, qualified, '.lowerAscii()');
export const resourceKeys = keys(
  `(cpu|memory|ephemeral-storage|hugepages-.+|${prefix}${name})`,
  'keys must be resources of containers, such as cpu, or names with a prefix, such as nvidia.com/gpu',
);

type Amounts = Readonly<Record<string, string | number>>;

/** Returns CEL that converts a number or string to a quantity. The cost of `quantity(string(…))` would be unbounded. */
const quantity = (amount: string): string =>
  `(type(${amount}) == int ? quantity('0').add(${amount}) : quantity(${amount}))`;

export const resourceRequirements: readonly Rule[] = [
  {
    rule: `!has(self.requests) || !has(self.limits) || self.requests.all(key, !(key in self.limits) || ${quantity('self.requests[key]')}.compareTo(${quantity('self.limits[key]')}) <= 0)`,
    holds: ({ requests = {}, limits = {} }: Readonly<Record<string, Amounts | undefined>>) =>
      Object.entries(requests).every(([key, amount]) => !isLarger(amount, limits[key])),
    message: 'a request must not be above its limit',
  },
  {
    rule: `!has(self.requests) || self.requests.all(key, key in ['cpu', 'memory', 'ephemeral-storage'] || key.contains('kubernetes.io/') || (has(self.limits) && key in self.limits && ${quantity('self.requests[key]')}.compareTo(${quantity('self.limits[key]')}) >= 0))`,
    holds: ({ requests = {}, limits = {} }: Readonly<Record<string, Amounts | undefined>>) =>
      Object.entries(requests).every(
        ([key, amount]) =>
          /^(cpu|memory|ephemeral-storage)$|kubernetes\.io\//.test(key) ||
          (limits[key] !== undefined && !isLarger(limits[key], amount)),
      ),
    message:
      'a request for a resource other than cpu, memory and ephemeral-storage must equal its limit',
  },
];

export const volumeResourceRequirements: readonly Rule[] = [
  {
    rule: `has(self.requests) && 'storage' in self.requests && ${quantity("self.requests['storage']")}.isGreaterThan(quantity('0'))`,
    holds: ({ requests = {} }: { readonly requests?: Amounts }) => isLarger(requests.storage, 0),
    message: 'set requests.storage, above 0',
  },
];

export const persistentVolumeClaimSpec: readonly Rule[] = [
  {
    rule: "!has(self.accessModes) || size(self.accessModes) < 2 || !('ReadWriteOncePod' in self.accessModes)",
    holds: ({ accessModes = [] }: { readonly accessModes?: readonly string[] }) =>
      accessModes.length < 2 || !accessModes.includes('ReadWriteOncePod'),
    message: 'ReadWriteOncePod must be the only access mode',
  },
];

export const downwardAPIVolumeFile: readonly Rule[] = [
  {
    rule: 'has(self.fieldRef) != has(self.resourceFieldRef)',
    holds: (self: Fields) => isSet(self, 'fieldRef') !== isSet(self, 'resourceFieldRef'),
    message: 'set either fieldRef or resourceFieldRef',
  },
];

interface Probe {
  readonly successThreshold?: number;
  readonly terminationGracePeriodSeconds?: number;
}

interface Container {
  readonly name: string;
  readonly restartPolicy?: string;
  readonly lifecycle?: object;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly startupProbe?: Probe;
}

const succeedsOnce = (name: 'livenessProbe' | 'startupProbe'): Rule => ({
  rule: `!has(self.${name}) || !has(self.${name}.successThreshold) || self.${name}.successThreshold <= 1`,
  holds: (self: Container) => (self[name]?.successThreshold ?? 1) <= 1,
  message: `successThreshold of ${name} must be 1`,
});

export const container: readonly Rule[] = [
  succeedsOnce('livenessProbe'),
  succeedsOnce('startupProbe'),
  {
    rule: '!has(self.readinessProbe) || !has(self.readinessProbe.terminationGracePeriodSeconds)',
    holds: ({ readinessProbe }: Container) =>
      readinessProbe?.terminationGracePeriodSeconds === undefined,
    message: 'readinessProbe must not have terminationGracePeriodSeconds',
  },
];

interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly dnsPolicy?: string;
  readonly dnsConfig?: { readonly nameservers?: readonly string[] };
  readonly hostPID?: boolean;
  readonly shareProcessNamespace?: boolean;
}

const ofRunning = ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const;

export const podSpec: readonly Rule[] = [
  {
    rule: "!has(self.dnsPolicy) || self.dnsPolicy != 'None' || (has(self.dnsConfig) && has(self.dnsConfig.nameservers) && size(self.dnsConfig.nameservers) > 0)",
    holds: ({ dnsPolicy, dnsConfig: { nameservers = [] } = {} }: PodSpec) =>
      dnsPolicy !== 'None' || nameservers.length > 0,
    message: 'dnsPolicy None needs dnsConfig.nameservers',
  },
  {
    rule: '!has(self.hostPID) || !self.hostPID || !has(self.shareProcessNamespace) || !self.shareProcessNamespace',
    holds: ({ hostPID, shareProcessNamespace }: PodSpec) =>
      hostPID !== true || shareProcessNamespace !== true,
    message: 'set hostPID or shareProcessNamespace, not both',
  },
  {
    rule: '!has(self.initContainers) || self.initContainers.all(one, !self.containers.exists(other, other.name == one.name))',
    holds: ({ containers, initContainers = [] }: PodSpec) =>
      initContainers.every((one) => !containers.some((other) => other.name === one.name)),
    message: 'an init container must not have the same name as a container',
  },
  {
    rule: `!has(self.initContainers) || self.initContainers.all(one, (has(one.restartPolicy) && one.restartPolicy == 'Always') || !(${ofRunning.map((field) => `has(one.${field})`).join(' || ')}))`,
    holds: ({ initContainers = [] }: PodSpec) =>
      initContainers.every(
        (one) =>
          one.restartPolicy === 'Always' || ofRunning.every((field) => one[field] === undefined),
      ),
    message: `an init container without restartPolicy Always must not set any of ${ofRunning.join(', ')}`,
  },
];

interface ServiceSpec {
  readonly type?: string;
  readonly externalName?: string;
  readonly ports?: readonly { readonly name?: string }[];
}

export const serviceSpec: readonly Rule[] = [
  {
    rule: '!has(self.ports) || size(self.ports) < 2 || self.ports.all(one, has(one.name) && self.ports.exists_one(other, has(other.name) && other.name == one.name))',
    holds: ({ ports = [] }: ServiceSpec) =>
      ports.length < 2 ||
      (ports.every(({ name }) => name) &&
        new Set(ports.map(({ name }) => name)).size === ports.length),
    message: 'if there are several ports, each must have a unique name',
  },
  {
    rule: "!has(self.type) || self.type != 'ExternalName' || (has(self.externalName) && self.externalName != '')",
    holds: ({ type, externalName }: ServiceSpec) =>
      type !== 'ExternalName' || Boolean(externalName),
    message: 'the type ExternalName needs externalName',
  },
];

export const ingressBackend: readonly Rule[] = [
  {
    rule: 'has(self.resource) != has(self.service)',
    holds: (self: Fields) => isSet(self, 'resource') !== isSet(self, 'service'),
    message: 'set either resource or service',
  },
];

export const serviceBackendPort: readonly Rule[] = [
  {
    rule: "(has(self.name) && self.name != '') != (has(self.number) && self.number != 0)",
    holds: (self: Fields) => Boolean(self.name) !== Boolean(self.number),
    message: 'set either name or number',
  },
];
