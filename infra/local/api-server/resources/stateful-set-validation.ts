import type { FieldError } from '../errors/errors.ts';
import { isSemanticallyEqual } from '../objects/equality.ts';
import { dnsLabel } from '../objects/names.ts';
import { type JsonMap, type KubeObject, mapAt, mapsAt, textAt } from '../objects/object.ts';
import { forbidden, invalid } from '../schema/field-error.ts';
import { exceeding, misnamed, negative, unlisted } from './bounds.ts';
import { claimTemplateErrors } from './claim-validation.ts';
import { annotationErrors, labelErrors } from './label-rules.ts';
import { podTemplateErrors } from './pod-validation/pod.ts';
import { selectorErrors } from './selector.ts';

/** What is wrong with a StatefulSet; what can no longer be changed is judged when it is created. */
export const statefulSetErrors = (object: KubeObject, old?: KubeObject): FieldError[] => {
  const spec = mapAt(object, 'spec');
  const metadata = mapAt(mapAt(spec, 'template'), 'metadata');
  const service = textAt(spec, 'serviceName');
  return [
    ...policyErrors(spec),
    ...strategyErrors(mapAt(spec, 'updateStrategy'), 'spec.updateStrategy'),
    ...retentionErrors(spec),
    ...(old ? [] : claimTemplateErrors(spec)),
    ...negative(spec, 'spec', ['replicas', 'minReadySeconds']),
    ...negative(mapAt(spec, 'ordinals'), 'spec.ordinals', ['start']),
    ...(old || service === '' ? [] : misnamed(service, 'spec.serviceName', dnsLabel)),
    ...selectorErrors(object),
    ...podTemplateErrors(withoutIdentity(mapAt(spec, 'template')), 'spec.template', {
      owner: 'StatefulSet',
      claims: mapsAt(spec, 'volumeClaimTemplates'),
    }),
    // Told twice.
    ...labelErrors(mapAt(metadata, 'labels'), 'spec.template.labels'),
    ...annotationErrors(metadata.annotations, 'spec.template.annotations'),
    ...statusErrors(mapAt(object, 'status')),
    ...(old ? immutableErrors(object, old) : []),
  ];
};

/** Its pods get host names of their own, whatever the template says. */
const withoutIdentity = (template: JsonMap): JsonMap => {
  const { hostname: _hostname, subdomain: _subdomain, ...spec } = mapAt(template, 'spec');
  return { ...template, spec };
};

const COUNTS = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'];

const statusErrors = (status: JsonMap): FieldError[] => [
  ...negative(status, 'status', ['replicas', ...COUNTS, 'observedGeneration', 'collisionCount']),
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
  const { partition = 0, maxUnavailable = null } = mapAt(strategy, 'rollingUpdate');
  // The server shows its own structure here, not the field.
  const shown =
    rollingUpdate === undefined ? null : { Partition: partition, MaxUnavailable: maxUnavailable };
  if (type !== 'OnDelete') {
    const why = "must be 'RollingUpdate' or 'OnDelete'";
    return [invalid(path, { Type: type, RollingUpdate: shown }, why)];
  }
  if (rollingUpdate === undefined) return [];
  return [
    invalid(`${path}.rollingUpdate`, shown, "only allowed for updateStrategy 'RollingUpdate'"),
  ];
};

const retentionErrors = (spec: JsonMap): FieldError[] => {
  const policy = mapAt(spec, 'persistentVolumeClaimRetentionPolicy');
  return ['whenDeleted', 'whenScaled'].flatMap((field) =>
    unlisted(policy[field], `spec.persistentVolumeClaimRetentionPolicy.${field}`, [
      'Retain',
      'Delete',
    ]),
  );
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
