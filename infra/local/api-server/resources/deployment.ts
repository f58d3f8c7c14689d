import { dnsSubdomain } from '../objects/names.ts';
import { ensureMap, type JsonMap, setDefault } from '../objects/object.ts';
import { deploymentErrors } from './deployment-validation.ts';
import { specOrAnnotationsChanged } from './generations.ts';
import { defaultPodTemplate } from './pod-template.ts';
import type { Strategy } from './strategy.ts';

export const deployment: Strategy = {
  nameRule: dnsSubdomain,
  unconditionalUpdate: true,
  judgesAlone: true,
  isNewGeneration: specOrAnnotationsChanged,
  statusResets: [['spec'], ['metadata', 'labels']],
  defaults: ({ spec }) => defaultSpec(spec as JsonMap | undefined),
  prepareCreate: (object) => {
    object.status = {};
  },
  validate: deploymentErrors,
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
  defaultPodTemplate(ensureMap(spec, 'template'));
};
