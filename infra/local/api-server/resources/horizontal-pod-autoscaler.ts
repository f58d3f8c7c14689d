import type { FieldError } from '../errors/errors.ts';
import { dnsSubdomain } from '../objects/names.ts';
import {
  ensureMap,
  isMap,
  type JsonMap,
  type KubeObject,
  mapAt,
  numberAt,
  setDefault,
  textAt,
} from '../objects/object.ts';
import { invalid, required } from '../schema/field-error.ts';
import type { Strategy } from './strategy.ts';

export const horizontalPodAutoscaler: Strategy = {
  nameRule: dnsSubdomain,
  unconditionalUpdate: true,
  defaults: (object) => {
    defaultSpec(mapAt(object, 'spec'));
    // Shown even when there are none.
    if (isMap(object.status)) object.status.currentMetrics ??= null;
  },
  prepareCreate: (object) => {
    object.status = { desiredReplicas: 0, currentMetrics: null };
  },
  validate: (object) => specErrors(object),
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

const specErrors = (object: KubeObject): FieldError[] => {
  const spec = mapAt(object, 'spec');
  const min = numberAt(spec, 'minReplicas') ?? 1;
  const max = numberAt(spec, 'maxReplicas') ?? 0;
  const reference = mapAt(spec, 'scaleTargetRef');
  return [
    ...(min < 1 ? [invalid('spec.minReplicas', min, 'must be greater than or equal to 1')] : []),
    ...(max < 1 ? [required('spec.maxReplicas', 'must be set and greater than 0')] : []),
    ...(max < min
      ? [invalid('spec.maxReplicas', max, 'must be greater than or equal to `minReplicas`')]
      : []),
    ...['kind', 'name']
      .filter((field) => textAt(reference, field) === '')
      .map((field) => required(`spec.scaleTargetRef.${field}`)),
  ];
};
