import type { FieldError } from '../errors/errors.ts';
import { percentage } from '../objects/names.ts';
import { isMap, type JsonMap, type KubeObject, mapAt, numberAt } from '../objects/object.ts';
import { forbidden, invalid, notSupported } from '../schema/field-error.ts';
import { exceeding, negative, shareErrors } from './bounds.ts';
import { podTemplateErrors } from './pod-validation/pod.ts';
import { selectorErrors, selectorImmutable } from './selector.ts';

/** What is wrong with a Deployment. */
export const deploymentErrors = (object: KubeObject, old?: KubeObject): FieldError[] => {
  const spec = mapAt(object, 'spec');
  return [
    ...negative(spec, 'spec', ['replicas']),
    ...selectorErrors(object),
    ...podTemplateErrors(mapAt(spec, 'template'), 'spec.template', { owner: 'ReplicaSet' }),
    ...strategyErrors(mapAt(spec, 'strategy'), 'spec.strategy'),
    ...negative(spec, 'spec', [
      'minReadySeconds',
      'revisionHistoryLimit',
      'progressDeadlineSeconds',
    ]),
    ...deadlineErrors(spec),
    ...statusErrors(mapAt(object, 'status')),
    ...(old ? selectorImmutable(object, old) : []),
  ];
};

const COUNTS = ['updatedReplicas', 'readyReplicas', 'availableReplicas'];
const OTHERS = ['unavailableReplicas', 'terminatingReplicas', 'collisionCount'];

const statusErrors = (status: JsonMap): FieldError[] => [
  ...negative(status, 'status', ['observedGeneration', 'replicas', ...COUNTS, ...OTHERS]),
  ...exceeding(status, 'replicas', COUNTS),
  ...exceeding(status, 'readyReplicas', ['availableReplicas']),
];

const deadlineErrors = (spec: JsonMap): FieldError[] => {
  const deadline = numberAt(spec, 'progressDeadlineSeconds');
  const ready = numberAt(spec, 'minReadySeconds') ?? 0;
  if (deadline === undefined || deadline > ready) return [];
  return [
    invalid('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds'),
  ];
};

const TYPES = ['Recreate', 'RollingUpdate'];

const strategyErrors = ({ type, rollingUpdate }: JsonMap, path: string): FieldError[] => {
  if (type === 'Recreate') {
    if (rollingUpdate === undefined) return [];
    const why = "may not be specified when strategy `type` is 'Recreate'";
    return [forbidden(`${path}.rollingUpdate`, why)];
  }
  if (type === 'RollingUpdate') {
    return isMap(rollingUpdate) ? rollingErrors(rollingUpdate, `${path}.rollingUpdate`) : [];
  }
  // The server shows its own structure here, not the field.
  const { maxUnavailable = 0, maxSurge = 0 } = isMap(rollingUpdate) ? rollingUpdate : {};
  const shown = isMap(rollingUpdate)
    ? { MaxUnavailable: maxUnavailable, MaxSurge: maxSurge }
    : null;
  return [notSupported(path, { Type: type, RollingUpdate: shown }, TYPES)];
};

const rollingErrors = ({ maxUnavailable, maxSurge }: JsonMap, path: string): FieldError[] => {
  const field = `${path}.maxUnavailable`;
  const isNone = [maxUnavailable, maxSurge].every((share) => amountOf(share) === 0);
  const isTooMuch = typeof maxUnavailable === 'string' && amountOf(maxUnavailable) > 100;
  return [
    ...shareErrors(maxUnavailable, field),
    ...shareErrors(maxSurge, `${path}.maxSurge`),
    ...(isNone ? [invalid(field, maxUnavailable, 'may not be 0 when `maxSurge` is 0')] : []),
    ...(isTooMuch ? [invalid(field, maxUnavailable, 'must not be greater than 100%')] : []),
  ];
};

/** The number or the percentage, whichever it is; what is neither counts as none. */
const amountOf = (share: unknown): number => {
  if (typeof share === 'string') {
    return percentage(share).length === 0 ? Number.parseInt(share, 10) : 0;
  }
  return typeof share === 'number' ? share : 0;
};
