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
