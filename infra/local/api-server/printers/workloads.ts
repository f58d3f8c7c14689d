import { isMap, type JsonMap, mapAt, mapsAt, numberAt, textAt } from '../objects/object.ts';
import { ageCell, type Cell, cell, printer } from './printer.ts';

const status = (object: JsonMap, field: string): number =>
  numberAt(mapAt(object, 'status'), field) ?? 0;
const spec = (object: JsonMap, field: string): number =>
  numberAt(mapAt(object, 'spec'), field) ?? 0;

const number = (name: string, value: Cell['value']): Cell => cell(name, value, { type: 'integer' });

const ready = cell(
  'Ready',
  (object) => `${status(object, 'readyReplicas')}/${spec(object, 'replicas')}`,
);

const podSpec = (object: JsonMap): JsonMap =>
  mapAt(mapAt(mapAt(object, 'spec'), 'template'), 'spec');

const joined = (field: string) => (object: JsonMap) =>
  mapsAt(podSpec(object), 'containers')
    .map((container) => textAt(container, field))
    .join(',');

const containers = cell('Containers', joined('name'), { wide: true });
const images = cell('Images', joined('image'), { wide: true });

/** A label selector as kubectl writes it. */
export const selectorText = (selector: unknown): string => {
  if (!isMap(selector)) return '<none>';
  const labels = isMap(selector.matchLabels) ? selector.matchLabels : selector;
  const text = Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(',');
  return text === '' ? '<none>' : text;
};

const selector = cell('Selector', (object) => selectorText(mapAt(object, 'spec').selector), {
  wide: true,
});

export const deploymentPrinter = printer([
  ready,
  cell('Up-to-date', (object) => status(object, 'updatedReplicas')),
  cell('Available', (object) => status(object, 'availableReplicas')),
  ageCell,
  containers,
  images,
  selector,
]);

export const statefulSetPrinter = printer([ready, ageCell, containers, images]);

export const replicaSetPrinter = printer([
  number('Desired', (object) => spec(object, 'replicas')),
  number('Current', (object) => status(object, 'replicas')),
  number('Ready', (object) => status(object, 'readyReplicas')),
  ageCell,
  containers,
  images,
  selector,
]);

const readinessGates = (object: JsonMap): string => {
  const gates = mapsAt(mapAt(object, 'spec'), 'readinessGates');
  if (gates.length === 0) return '<none>';
  const conditions = mapsAt(mapAt(object, 'status'), 'conditions');
  const met = gates.filter(({ conditionType }) =>
    conditions.some(({ type, status }) => type === conditionType && status === 'True'),
  );
  return `${met.length}/${gates.length}`;
};

export const podPrinter = printer([
  cell('Ready', (object) => {
    const states = mapsAt(mapAt(object, 'status'), 'containerStatuses');
    const all = mapsAt(mapAt(object, 'spec'), 'containers').length;
    return `${states.filter((state) => state.ready === true).length}/${all}`;
  }),
  cell('Status', (object) =>
    mapAt(object, 'metadata').deletionTimestamp
      ? 'Terminating'
      : textAt(mapAt(object, 'status'), 'phase'),
  ),
  cell('Restarts', () => '0'),
  ageCell,
  cell('IP', (object) => textAt(mapAt(object, 'status'), 'podIP') || '<none>', { wide: true }),
  cell('Node', (object) => textAt(mapAt(object, 'spec'), 'nodeName') || '<none>', { wide: true }),
  cell(
    'Nominated Node',
    (object) => textAt(mapAt(object, 'status'), 'nominatedNodeName') || '<none>',
    { wide: true },
  ),
  cell('Readiness Gates', readinessGates, { wide: true }),
]);

const metricText = (metric: JsonMap, current: JsonMap | undefined): string => {
  const { name = '', target } = mapAt(metric, 'resource');
  const wanted = mapAt({ target }, 'target');
  const seen = mapAt(mapAt(current, 'resource'), 'current');
  const known = numberAt(seen, 'averageUtilization');
  const goal =
    numberAt(wanted, 'averageUtilization') === undefined
      ? String(wanted.averageValue ?? wanted.value ?? '<unknown>')
      : `${wanted.averageUtilization}%`;
  return `${name}: ${known === undefined ? '<unknown>' : `${known}%`}/${goal}`;
};

export const autoscalerPrinter = printer([
  cell('Reference', (object) => {
    const { kind, name } = mapAt(mapAt(object, 'spec'), 'scaleTargetRef');
    return `${kind}/${name}`;
  }),
  cell('Targets', (object) => {
    const current = mapsAt(mapAt(object, 'status'), 'currentMetrics');
    const metrics = mapsAt(mapAt(object, 'spec'), 'metrics');
    return metrics.map((metric, index) => metricText(metric, current[index])).join(', ');
  }),
  cell('MinPods', (object) => String(mapAt(object, 'spec').minReplicas ?? '<unset>')),
  cell('MaxPods', (object) => spec(object, 'maxReplicas')),
  cell('Replicas', (object) => status(object, 'currentReplicas')),
  ageCell,
]);
