/** What a `reconciler.config.ts` and its kinds are written with. */
export { type Static, Type } from 'typebox';
export { defineConfig, type ReconcilerConfig } from './shared/config/define-config.ts';
export { authUrlAnnotation } from './shared/exposure/ingress.ts';
export { pathMark } from './shared/exposure/path-marks.ts';
export {
  type ChildType,
  deployment,
  horizontalPodAutoscaler,
  ingress,
  persistentVolumeClaim,
  secret,
  service,
  statefulSet,
} from './shared/kinds/child-types.ts';
export {
  type Child,
  type ChildName,
  defineKind,
  type Kind,
  type KindDefinition,
  type Note,
  type Progress,
  type Resource,
  type StatusInput,
} from './shared/kinds/define-kind.ts';
export {
  containerName,
  digestOf,
  dnsLabel,
  labelValue,
  objectName,
  secretDigestAnnotation,
  statefulSetName,
  workloadName,
} from './shared/kinds/names.ts';
export {
  immutable,
  immutableOptional,
  nameAtMost,
  type Rule,
  withRules,
} from './shared/kinds/rules.ts';
