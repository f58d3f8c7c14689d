import { dnsSubdomain } from '../objects/names.ts';
import { ensureMap, isMap, type JsonMap, mapAt, setDefault } from '../objects/object.ts';
import { autoscalerErrors } from './autoscaler-validation.ts';
import type { Strategy } from './strategy.ts';

export const horizontalPodAutoscaler: Strategy = {
  nameRule: dnsSubdomain,
  unconditionalUpdate: true,
  judgesAlone: true,
  defaults: (object) => {
    defaultSpec(mapAt(object, 'spec'));
    // Shown even when there are none.
    if (isMap(object.status)) object.status.currentMetrics ??= null;
  },
  prepareCreate: (object) => {
    object.status = { desiredReplicas: 0, currentMetrics: null };
  },
  validate: (object) => autoscalerErrors(mapAt(object, 'spec')),
};

const defaultSpec = (spec: JsonMap): void => {
  setDefault(spec, 'minReplicas', 1);
  if (!Array.isArray(spec.metrics) || spec.metrics.length === 0) {
    const target = { type: 'Utilization', averageUtilization: 80 };
    spec.metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }];
  }
  if (!isMap(spec.behavior)) return;
  defaultRules(ensureMap(spec.behavior, 'scaleUp'), SCALE_UP);
  defaultRules(ensureMap(spec.behavior, 'scaleDown'), SCALE_DOWN);
};

const SCALE_UP = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const SCALE_DOWN = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

const defaultRules = (rules: JsonMap, defaults: JsonMap): void => {
  for (const [field, value] of Object.entries(defaults)) {
    setDefault(rules, field, structuredClone(value));
  }
};
