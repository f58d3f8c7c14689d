import { compareMinors } from '../../control-plane/release.ts';
import type { Since } from './contract-case.ts';

/** Behaviour on which steps of the contract rely and in which older supported versions of Kubernetes differ. */
export const since136 = {
  serviceNames: {
    minor: '1.36',
    before: 'the name of a Service has to begin with a letter (RelaxedServiceNameValidation)',
  },
  addresses: {
    minor: '1.36',
    before: 'addresses with leading zeros are accepted (StrictIPCIDRValidation)',
  },
  autoscalerMaximum: { minor: '1.36', before: 'a maximum of zero is invalid, not missing' },
  integerFormat: { minor: '1.36', before: 'a wrong type is reported once, not with its format' },
  mutatingPolicies: { minor: '1.36', before: 'MutatingAdmissionPolicy is served as v1beta1' },
  sliceDevices: { minor: '1.36', before: 'a ResourceSlice without devices shows null' },
  storageClasses: { minor: '1.36', before: 'a change of a StorageClass is forbidden, not invalid' },
  version: { minor: '1.36', before: 'the server names its own version' },
} satisfies Record<string, Since>;

export const since135 = {
  deleteOptions: { minor: '1.35', before: 'delete options that cannot be read are answered 500' },
  ruleValues: { minor: '1.35', before: 'a broken rule names the type of the value: "object"' },
  wholeObject: { minor: '1.35', before: 'a JSON patch to null or to text is taken for no change' },
  labelKeys: { minor: '1.35', before: 'a wrong label key is called a qualified name' },
  terminatingReplicas: {
    minor: '1.35',
    before: 'Deployments count no terminating replicas (DeploymentReplicaSetTerminatingReplicas)',
  },
  serviceAccountColumns: { minor: '1.35', before: 'a table of ServiceAccounts counts Secrets' },
  testWithoutValue: {
    minor: '1.35',
    before: 'a JSON patch that tests for nothing crashes its handler; the connection is closed',
  },
  containerRestarts: {
    minor: '1.35',
    before: 'the restartPolicy of a container is dropped (ContainerRestartRules)',
  },
  autoscalerTolerance: {
    minor: '1.35',
    before: 'the tolerance of an autoscaler is dropped (HPAConfigurableTolerance)',
  },
  tolerations: { minor: '1.35', before: 'Lt and Gt are not among the operators of tolerations' },
} satisfies Record<string, Since>;

/** The same for the smallest objects of built-in kinds, by kind. */
export const sinceOfKind: Readonly<Record<string, Since>> = {
  MutatingAdmissionPolicy: since136.mutatingPolicies,
  MutatingAdmissionPolicyBinding: since136.mutatingPolicies,
};

/** A change in a version newer than the one that the local cluster imitates. */
interface Change {
  /** As `1.37`. */
  readonly minor: string;
  /** The behaviour from this version on. */
  readonly now: string;
  /** The cases, by area and id, that must fail from this version on. */
  readonly cases: readonly string[];
}

const since137 = (now: string, ...cases: readonly string[]): Change => ({
  minor: '1.37',
  now,
  cases,
});

export const changes: readonly Change[] = [
  since137('the server names its own version', 'discovery-core'),
  since137('CSINodes have the subresource status', 'built-in-discovery-storage-k8s-io-v1'),
  since137('CSIDrivers have preventPodSchedulingIfMissing', 'built-in-creation-csidriver'),
  since137('autoscalers have a generation', 'generation-none'),
  since137('maxUnavailable of a StatefulSet is 1 by default', 'workload-defaulting-stateful-set'),
  since137('immutable fields of a StatefulSet are named', 'workload-validation-stateful-set'),
  since137(
    'immutable fields are reported in the same words for all kinds, some with null as the value',
    'endpoint-slices-validation-updates',
    'fixed-settings-fixed-endpointslice-addresstype',
    'fixed-settings-fixed-runtimeclass-handler',
    'fixed-settings-fixed-storageclass-parameters',
    'fixed-settings-fixed-storageclass-provisioner',
    'fixed-settings-fixed-storageclass-reclaimpolicy',
    'fixed-settings-fixed-storageclass-volumebindingmode',
    'roles-role-changed',
  ),
  since137(
    'required values are reported without an explanation',
    'built-in-validation-autoscaler',
    'endpoint-slices-validation-addresses',
    'roles-rules',
    'system-validation-roles',
  ),
  since137(
    'refusals about owner references give the index',
    'create-refused-bad-metadata',
    'embedded-validation-metadata',
    'object-limits-owners',
  ),
  since137(
    'a refusal lists equal causes once',
    'lock-forms-merge-patch',
    'lock-forms-uid-alone',
    'locks-version-configmaps',
    'locks-version-ingresses',
    'locks-version-secrets',
    'locks-version-services',
    'workload-settings-stateful-set',
  ),
  since137('a refusal of an endPort shows the endPort', 'network-policies-validation-ports'),
  since137('seLinuxChangePolicy may be MountOption', 'pod-validation-security'),
  since137(
    'malformed JSON patches are called "invalid JSON patch"',
    'deep-objects-limit-of-patches',
    'json-patch-json-malformed',
  ),
  since137(
    'malformed YAML is called a patch in refusals of an apply',
    'yaml-bodies-deep',
    'yaml-bodies-long-key',
    'yaml-bodies-twice',
  ),
  since137(
    'managedFields stay after an update that they cannot track',
    'apply-built-in-lists-item-without-key',
    'crds-dropped-version',
  ),
  since137('an unsafe deletion of a readable object is refused', 'delete-bodies-read-as-nothing'),
  since137(
    'a scale without apiVersion leaves replicas to their owner',
    'scale-ownership-no-version',
  ),
  since137('a table without rows has all columns', 'tables-columns'),
];

/** Returns the change because of which a case must fail on this minor version. */
export const changeOf = (name: string, minor: string): string | undefined =>
  changes.find((one) => one.cases.includes(name) && compareMinors(minor, one.minor) >= 0)?.now;
