import { ensureObject, isObject, type JsonObject, objectAt, setDefault } from '../../json/value.ts';
import { dnsSubdomain } from '../../objects/names.ts';
import type { Strategy } from '../../resources/strategy.ts';
import type { KindEntry } from '../kind.ts';
import { autoscalerPrinter } from './printer.ts';
import { autoscalerErrors } from './validation.ts';

const horizontalPodAutoscaler: Strategy = {
  nameRule: dnsSubdomain,
  allowUnconditionalUpdate: true,
  replacesSchemaValidation: true,
  defaults: (object) => defaultSpec(objectAt(object, 'spec')),
  validate: (object) => autoscalerErrors(objectAt(object, 'spec')),
};

function defaultSpec(spec: JsonObject): void {
  setDefault(spec, 'minReplicas', 1);
  if (!Array.isArray(spec.metrics) || spec.metrics.length === 0) {
    const target = { type: 'Utilization', averageUtilization: 80 };
    spec.metrics = [{ type: 'Resource', resource: { name: 'cpu', target } }];
  }
  if (!isObject(spec.behavior)) return;
  defaultRules(ensureObject(spec.behavior, 'scaleUp'), scaleUp);
  defaultRules(ensureObject(spec.behavior, 'scaleDown'), scaleDown);
}

const scaleUp = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};
const scaleDown = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

function defaultRules(rules: JsonObject, defaults: JsonObject): void {
  for (const [field, value] of Object.entries(defaults)) {
    setDefault(rules, field, structuredClone(value));
  }
}

export const autoscalerKind: KindEntry = {
  group: 'autoscaling',
  kind: 'HorizontalPodAutoscaler',
  strategy: horizontalPodAutoscaler,
  printer: autoscalerPrinter,
};
