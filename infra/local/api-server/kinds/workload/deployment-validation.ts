import type { FieldError } from '../../errors/field-error.ts';
import { forbidden, invalid, notSupported } from '../../errors/field-error.ts';
import { isObject, type JsonObject, numberAt, objectAt } from '../../json/value.ts';
import {
  amountOf,
  exceeding,
  negative,
  shareErrors,
  wholeErrors,
} from '../../objects/field-rules.ts';
import type { KubeObject } from '../../objects/object.ts';
import { podTemplateErrors } from '../pod/validation/pod.ts';
import { selectorErrors, selectorImmutable } from './selector.ts';

/** Validates a Deployment. */
export function deploymentErrors(object: KubeObject, old?: KubeObject): FieldError[] {
  const spec = objectAt(object, 'spec');
  return [
    ...negative(spec, 'spec', ['replicas']),
    ...selectorErrors(object),
    ...podTemplateErrors(objectAt(spec, 'template'), 'spec.template', { owner: 'ReplicaSet' }),
    ...strategyErrors(objectAt(spec, 'strategy'), 'spec.strategy'),
    ...negative(spec, 'spec', [
      'minReadySeconds',
      'revisionHistoryLimit',
      'progressDeadlineSeconds',
    ]),
    ...deadlineErrors(spec),
    ...statusErrors(objectAt(object, 'status')),
    ...(old ? selectorImmutable(object, old) : []),
  ];
}

const countFields = ['updatedReplicas', 'readyReplicas', 'availableReplicas'];
const otherCounts = ['unavailableReplicas', 'terminatingReplicas', 'collisionCount'];

function statusErrors(status: JsonObject): FieldError[] {
  return [
    ...negative(status, 'status', [
      'observedGeneration',
      'replicas',
      ...countFields,
      ...otherCounts,
    ]),
    ...exceeding(status, 'replicas', countFields),
    ...exceeding(status, 'readyReplicas', ['availableReplicas']),
  ];
}

function deadlineErrors(spec: JsonObject): FieldError[] {
  const deadline = numberAt(spec, 'progressDeadlineSeconds');
  const ready = numberAt(spec, 'minReadySeconds') ?? 0;
  if (deadline === undefined || deadline > ready) return [];
  return [
    invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds'),
  ];
}

const knownTypes = ['Recreate', 'RollingUpdate'];

function strategyErrors({ type, rollingUpdate }: JsonObject, path: string): FieldError[] {
  if (type === 'Recreate') {
    if (rollingUpdate === undefined) return [];
    const why = "may not be specified when strategy `type` is 'Recreate'";
    return [forbidden(`${path}.rollingUpdate`, why)];
  }
  if (type === 'RollingUpdate') {
    return isObject(rollingUpdate) ? rollingErrors(rollingUpdate, `${path}.rollingUpdate`) : [];
  }
  // Shows the server's own structure in place of the field.
  const { maxUnavailable = 0, maxSurge = 0 } = isObject(rollingUpdate) ? rollingUpdate : {};
  const shown = isObject(rollingUpdate)
    ? { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge }
    : null;
  return [notSupported(path, { Type: type, RollingUpdate: shown }, knownTypes)];
}

function rollingErrors({ maxUnavailable, maxSurge }: JsonObject, path: string): FieldError[] {
  const field = `${path}.maxUnavailable`;
  const isNone = [maxUnavailable, maxSurge].every((share) => amountOf(share) === 0);
  return [
    ...shareErrors(maxUnavailable, field),
    ...shareErrors(maxSurge, `${path}.maxSurge`),
    ...(isNone ? [invalid(field, maxUnavailable, 'may not be 0 when `maxSurge` is 0')] : []),
    ...wholeErrors(maxUnavailable, field),
  ];
}
