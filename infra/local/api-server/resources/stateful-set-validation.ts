import type { FieldError } from '../errors/errors.ts';
import { isSemanticallyEqual } from '../objects/equality.ts';
import { dnsLabel } from '../objects/names.ts';
import { type JsonMap, type KubeObject, mapAt, mapsAt, textAt } from '../objects/object.ts';
import { forbidden, invalid } from '../schema/field-error.ts';
import { exceeding, misnamed, negative } from './bounds.ts';
import { podTemplateErrors } from './pod-validation.ts';
import { selectorErrors } from './selector.ts';
import { claimTemplateErrors } from './volume-validation.ts';

/** What is wrong with a StatefulSet; what can no longer be changed is judged when it is created. */
export const statefulSetErrors = (object: KubeObject, old?: KubeObject): FieldError[] => {
  const spec = mapAt(object, 'spec');
  const service = textAt(spec, 'serviceName');
  return [
    ...policyErrors(spec),
    ...strategyErrors(mapAt(spec, 'updateStrategy'), 'spec.updateStrategy'),
    ...(old ? [] : claimTemplateErrors(spec)),
    ...negative(spec, 'spec', ['replicas', 'minReadySeconds']),
    ...negative(mapAt(spec, 'ordinals'), 'spec.ordinals', ['start']),
    ...(old || service === '' ? [] : misnamed(service, 'spec.serviceName', dnsLabel)),
    ...selectorErrors(object),
    ...podTemplateErrors(
      mapAt(spec, 'template'),
      'spec.template',
      mapsAt(spec, 'volumeClaimTemplates'),
    ),
    ...statusErrors(mapAt(object, 'status')),
    ...(old ? immutableErrors(object, old) : []),
  ];
};

const COUNTS = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'];

const statusErrors = (status: JsonMap): FieldError[] => [
  ...negative(status, 'status', ['replicas', ...COUNTS, 'observedGeneration']),
  ...exceeding(status, 'replicas', COUNTS),
];

const policyErrors = ({ podManagementPolicy: policy }: JsonMap): FieldError[] =>
  ['OrderedReady', 'Parallel'].includes(String(policy))
    ? []
    : [invalid('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'")];

const strategyErrors = (strategy: JsonMap, path: string): FieldError[] => {
  const { type, rollingUpdate } = strategy;
  if (type === 'RollingUpdate') {
    return negative(mapAt(strategy, 'rollingUpdate'), `${path}.rollingUpdate`, ['partition']);
  }
  if (type !== 'OnDelete' || rollingUpdate === undefined) return [];
  const { partition = 0, maxUnavailable = null } = mapAt(strategy, 'rollingUpdate');
  const shown = { Partition: partition, MaxUnavailable: maxUnavailable };
  return [
    invalid(`${path}.rollingUpdate`, shown, "only allowed for updateStrategy 'RollingUpdate'"),
  ];
};

const MUTABLE = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

const immutableErrors = (object: KubeObject, old: KubeObject): FieldError[] => {
  const fixed = ({ spec }: KubeObject): JsonMap =>
    Object.fromEntries(
      Object.entries((spec ?? {}) as JsonMap).filter(([field]) => !MUTABLE.includes(field)),
    );
  if (isSemanticallyEqual(fixed(object), fixed(old))) return [];
  return [
    forbidden(
      'spec',
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ),
  ];
};
