import type { FieldError } from '../errors/errors.ts';
import { dnsSubdomain } from '../objects/names.ts';
import { ensureMap, type JsonMap, type KubeObject, mapAt, setDefault } from '../objects/object.ts';
import { invalid } from '../schema/field-error.ts';
import { specOrAnnotationsChanged } from './generations.ts';
import { defaultPodTemplate } from './pod-template.ts';
import { podTemplateErrors } from './pod-validation.ts';
import { selectorErrors, selectorImmutable } from './selector.ts';
import type { Strategy } from './strategy.ts';

export const deployment: Strategy = {
  nameRule: dnsSubdomain,
  unconditionalUpdate: true,
  isNewGeneration: specOrAnnotationsChanged,
  statusResets: [['spec'], ['metadata', 'labels']],
  defaults: ({ spec }) => defaultSpec(spec as JsonMap | undefined),
  prepareCreate: (object) => {
    object.status = {};
  },
  validate: (object, old) => [
    ...(old ? selectorImmutable(object, old) : []),
    ...selectorErrors(object),
    ...replicasErrors(object),
    ...podTemplateErrors(mapAt(mapAt(object, 'spec'), 'template'), 'spec.template'),
  ],
};

const defaultSpec = (spec: JsonMap | undefined): void => {
  if (spec === undefined) return;
  setDefault(spec, 'replicas', 1);
  const strategy = ensureMap(spec, 'strategy');
  setDefault(strategy, 'type', 'RollingUpdate');
  if (strategy.type === 'RollingUpdate') {
    const rolling = ensureMap(strategy, 'rollingUpdate');
    setDefault(rolling, 'maxUnavailable', '25%');
    setDefault(rolling, 'maxSurge', '25%');
  }
  setDefault(spec, 'revisionHistoryLimit', 10);
  setDefault(spec, 'progressDeadlineSeconds', 600);
  defaultPodTemplate(mapAt(spec, 'template'));
};

export const replicasErrors = (object: KubeObject): FieldError[] => {
  const { replicas } = mapAt(object, 'spec');
  if (typeof replicas !== 'number' || replicas >= 0) return [];
  return [invalid('spec.replicas', replicas, 'must be greater than or equal to 0')];
};
