import type { FieldError } from '../../errors/field-error.ts';
import { forbidden, invalid, notSupported } from '../../errors/field-error.ts';
import { isObject, type JsonObject, numberAt, objectAt } from '../../json/value.ts';
import { exceeding, negative, shareErrors } from '../../objects/field-rules.ts';
import { percentage } from '../../objects/names.ts';
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
  // The server shows its own structure here, not the field.
  const { maxUnavailable = 0, maxSurge = 0 } = isObject(rollingUpdate) ? rollingUpdate : {};
  const shown = isObject(rollingUpdate)
    ? { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge }
    : null;
  return [notSupported(path, { Type: type, RollingUpdate: shown }, knownTypes)];
}

function rollingErrors({ maxUnavailable, maxSurge }: JsonObject, path: string): FieldError[] {
  const field = `${path}.maxUnavailable`;
  const isNone = [maxUnavailable, maxSurge].every((share) => amountOf(share) === 0);
  const isTooMuch = typeof maxUnavailable === 'string' && amountOf(maxUnavailable) > 100;
  return [
    ...shareErrors(maxUnavailable, field),
    ...shareErrors(maxSurge, `${path}.maxSurge`),
    ...(isNone ? [invalid(field, maxUnavailable, 'may not be 0 when `maxSurge` is 0')] : []),
    ...(isTooMuch ? [invalid(field, maxUnavailable, 'must not be greater than 100%')] : []),
  ];
}

/** The number or the percentage, whichever it is; what is neither counts as none. */
function amountOf(share: unknown): number {
  if (typeof share === 'string') {
    return percentage(share).length === 0 ? Number.parseInt(share, 10) : 0;
  }
  return typeof share === 'number' ? share : 0;
}
