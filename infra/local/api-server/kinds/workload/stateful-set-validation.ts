import type { FieldError } from '../../errors/field-error.ts';
import { forbidden, invalid } from '../../errors/field-error.ts';
import { type JsonObject, objectAt, objectsAt, textAt } from '../../json/value.ts';
import { isSemanticallyEqual } from '../../objects/equality.ts';
import { exceeding, misnamed, negative, unlisted } from '../../objects/field-rules.ts';
import { annotationErrors, labelErrors } from '../../objects/label-rules.ts';
import { dnsLabel } from '../../objects/names.ts';
import type { KubeObject } from '../../objects/object.ts';
import { claimTemplateErrors } from '../claim/validation.ts';
import { podTemplateErrors } from '../pod/validation/pod.ts';
import { selectorErrors } from './selector.ts';

/** Validates a StatefulSet; immutable fields are validated on creation only. */
export function statefulSetErrors(object: KubeObject, old?: KubeObject): FieldError[] {
  const spec = objectAt(object, 'spec');
  const metadata = objectAt(objectAt(spec, 'template'), 'metadata');
  const service = textAt(spec, 'serviceName');
  return [
    ...policyErrors(spec),
    ...strategyErrors(objectAt(spec, 'updateStrategy'), 'spec.updateStrategy'),
    ...retentionErrors(spec),
    ...(old ? [] : claimTemplateErrors(spec)),
    ...negative(spec, 'spec', ['replicas', 'minReadySeconds']),
    ...negative(objectAt(spec, 'ordinals'), 'spec.ordinals', ['start']),
    ...(old || service === '' ? [] : misnamed(service, 'spec.serviceName', dnsLabel)),
    ...selectorErrors(object),
    ...podTemplateErrors(withoutIdentity(objectAt(spec, 'template')), 'spec.template', {
      owner: 'StatefulSet',
      claims: objectsAt(spec, 'volumeClaimTemplates'),
    }),
    // Reported twice, as in the real server.
    ...labelErrors(objectAt(metadata, 'labels'), 'spec.template.labels'),
    ...annotationErrors(metadata.annotations, 'spec.template.annotations'),
    ...statusErrors(objectAt(object, 'status')),
    ...(old ? immutableErrors(object, old) : []),
  ];
}

/** Its pods have host names of their own, whatever the template requests. */
function withoutIdentity(template: JsonObject): JsonObject {
  const { hostname: _hostname, subdomain: _subdomain, ...spec } = objectAt(template, 'spec');
  return { ...template, spec };
}

const countFields = ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'];

function statusErrors(status: JsonObject): FieldError[] {
  return [
    ...negative(status, 'status', [
      'replicas',
      ...countFields,
      'observedGeneration',
      'collisionCount',
    ]),
    ...exceeding(status, 'replicas', countFields),
  ];
}

function policyErrors({ podManagementPolicy: policy }: JsonObject): FieldError[] {
  return ['OrderedReady', 'Parallel'].includes(String(policy))
    ? []
    : [invalid('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'")];
}

function strategyErrors(strategy: JsonObject, path: string): FieldError[] {
  const { type, rollingUpdate } = strategy;
  if (type === 'RollingUpdate') {
    return negative(objectAt(strategy, 'rollingUpdate'), `${path}.rollingUpdate`, ['partition']);
  }
  const { partition = 0, maxUnavailable = null } = objectAt(strategy, 'rollingUpdate');
  // Shows the server's own structure in place of the field.
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
}

function retentionErrors(spec: JsonObject): FieldError[] {
  const policy = objectAt(spec, 'persistentVolumeClaimRetentionPolicy');
  return ['whenDeleted', 'whenScaled'].flatMap((field) =>
    unlisted(policy[field], `spec.persistentVolumeClaimRetentionPolicy.${field}`, [
      'Retain',
      'Delete',
    ]),
  );
}

const mutable = [
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
];

function immutableErrors(object: KubeObject, old: KubeObject): FieldError[] {
  const fixed = ({ spec }: KubeObject): JsonObject =>
    Object.fromEntries(
      Object.entries((spec ?? {}) as JsonObject).filter(([field]) => !mutable.includes(field)),
    );
  if (isSemanticallyEqual(fixed(object), fixed(old))) return [];
  return [
    forbidden(
      'spec',
      "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
    ),
  ];
}
