/** Everything that a `reconciler.config.ts` and its kinds import. */
export type { Static } from 'typebox';
export { Type } from 'typebox';
export { canonicalJson } from './shared/canonical.ts';
export { defineConfig, type ReconcilerConfig } from './shared/config/define-config.ts';
export { type Child, type ChildName, child, gone, kept, type Need } from './shared/kinds/child.ts';
export type { ChildType, Scale } from './shared/kinds/child-type.ts';
export { type FoundChild, ofType } from './shared/kinds/child-type.ts';
/** Types of Kubernetes' built-in objects, such as `api.PodSpec`. */
export type * as api from './shared/kinds/child-types/api-types.ts';
export { daemonSet, deployment, statefulSet } from './shared/kinds/child-types/apps.ts';
export { cronJob, job } from './shared/kinds/child-types/batch.ts';
export {
  configMap,
  limitRange,
  namespace,
  persistentVolumeClaim,
  pod,
  resourceQuota,
  secret,
  service,
  serviceAccount,
} from './shared/kinds/child-types/core.ts';
export { authUrlAnnotation, pathMarker } from './shared/kinds/child-types/ingress.ts';
export { ingress, networkPolicy } from './shared/kinds/child-types/networking.ts';
export {
  clusterRole,
  clusterRoleBinding,
  endpointSlice,
  horizontalPodAutoscaler,
  lease,
  podDisruptionBudget,
  priorityClass,
  resourceClaim,
  resourceClaimTemplate,
  role,
  roleBinding,
  storageClass,
} from './shared/kinds/child-types/small-groups.ts';
export type { NewCondition } from './shared/kinds/condition-types.ts';
export { defineChildType } from './shared/kinds/define-child-type.ts';
export { defineKind } from './shared/kinds/define-kind.ts';
export type { ChangedField, ChildChange, Impact, JudgeImpact } from './shared/kinds/impact.ts';
export type {
  IsPast,
  Kind,
  KindDefinition,
  KindVersion,
  Note,
  Progress,
  StatusInput,
} from './shared/kinds/kind.ts';
export {
  containerName,
  digestOf,
  dnsLabel,
  labelValue,
  namespaceName,
  objectName,
  secretDigestAnnotation,
  statefulSetName,
  workloadName,
} from './shared/kinds/names.ts';
export { pullPolicyOf, rollOnChange } from './shared/kinds/pod-template.ts';
export type { Readiness } from './shared/kinds/readiness.ts';
export type { ReadObject, Resource, SelectedObject } from './shared/kinds/reads.ts';
export { selects } from './shared/kinds/references/references-in.ts';
export {
  type SecretValue,
  secretValue,
  type Template,
  template,
} from './shared/kinds/references/template.ts';
export {
  immutable,
  immutableOptional,
  nameAtMost,
  type Rule,
  withRules,
} from './shared/kinds/schema/rules.ts';
