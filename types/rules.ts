import type { Rule } from '../shared/kinds/schema/rules.ts';

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
    message: 'set values, except for the operators Exists and DoesNotExist',
  },
];

export const nodeRequirement: readonly Rule[] = [
  ...requirement,
  {
    rule: "!(self.operator in ['Gt', 'Lt']) || (has(self.values) && size(self.values) == 1)",
    holds: ({ operator, values = [] }: { operator: string; values?: readonly string[] }) =>
      !['Gt', 'Lt'].includes(operator) || values.length === 1,
    message: 'set one value for the operators Gt and Lt',
  },
];

/** The rules of seccomp and AppArmor profiles. */
export const localProfile: readonly Rule[] = [
  {
    rule: "has(self.localhostProfile) == (self.type == 'Localhost')",
    holds: ({ type, localhostProfile }: { type: string; localhostProfile?: string }) =>
      (localhostProfile !== undefined) === (type === 'Localhost'),
    message: 'set localhostProfile for the type Localhost only',
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
    message: 'a privileged container allows privilege escalation',
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
    message: 'set no rollingUpdate with the type Recreate',
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
    message: 'without a key the operator must be Exists',
  },
  {
    rule: "!has(self.operator) || self.operator != 'Exists' || !has(self.value) || self.value == ''",
    holds: ({ operator, value }: Toleration) => operator !== 'Exists' || !value,
    message: 'set no value with the operator Exists',
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
    message: 'recursiveReadOnly needs readOnly: true, and no mountPropagation',
  },
];
