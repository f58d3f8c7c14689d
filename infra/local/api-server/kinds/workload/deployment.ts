import { ensureObject, type JsonObject, setDefault } from '../../json/value.ts';
import { dnsSubdomain } from '../../objects/names.ts';
import type { Strategy } from '../../resources/strategy.ts';
import { specOrAnnotationsChanged } from '../../resources/strategy.ts';
import type { KindEntry } from '../kind.ts';
import { defaultPodTemplate } from '../pod/template-defaults.ts';
import { deploymentErrors } from './deployment-validation.ts';
import { deploymentPrinter } from './printers.ts';

const deployment: Strategy = {
  nameRule: dnsSubdomain,
  allowUnconditionalUpdate: true,
  replacesSchemaValidation: true,
  isNewGeneration: specOrAnnotationsChanged,
  statusResetFields: [['spec'], ['metadata', 'labels']],
  defaults: ({ spec }) => defaultSpec(spec as JsonObject | undefined),
  validate: deploymentErrors,
};

function defaultSpec(spec: JsonObject | undefined): void {
  if (spec === undefined) return;
  setDefault(spec, 'replicas', 1);
  const strategy = ensureObject(spec, 'strategy');
  setDefault(strategy, 'type', 'RollingUpdate');
  if (strategy.type === 'RollingUpdate') {
    const rolling = ensureObject(strategy, 'rollingUpdate');
    setDefault(rolling, 'maxUnavailable', '25%');
    setDefault(rolling, 'maxSurge', '25%');
  }
  setDefault(spec, 'revisionHistoryLimit', 10);
  setDefault(spec, 'progressDeadlineSeconds', 600);
  defaultPodTemplate(ensureObject(spec, 'template'));
}

export const deploymentKind: KindEntry = {
  group: 'apps',
  kind: 'Deployment',
  strategy: deployment,
  printer: deploymentPrinter,
};
