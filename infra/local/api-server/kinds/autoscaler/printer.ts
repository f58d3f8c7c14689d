import { type JsonObject, numberAt, objectAt, objectsAt } from '../../json/value.ts';
import { specCount, statusCount } from '../../printing/cells.ts';
import { ageCell, cell, printer } from '../../printing/printer.ts';

function metricText(metric: JsonObject, current: JsonObject | undefined): string {
  const { name = '', target } = objectAt(metric, 'resource');
  const wanted = objectAt({ target }, 'target');
  const seen = objectAt(objectAt(current, 'resource'), 'current');
  const known = numberAt(seen, 'averageUtilization');
  const goal =
    numberAt(wanted, 'averageUtilization') === undefined
      ? String(wanted.averageValue ?? wanted.value ?? '<unknown>')
      : `${wanted.averageUtilization}%`;
  return `${name}: ${known === undefined ? '<unknown>' : `${known}%`}/${goal}`;
}

export const autoscalerPrinter = printer([
  cell('Reference', (object) => {
    const { kind, name } = objectAt(objectAt(object, 'spec'), 'scaleTargetRef');
    return `${kind}/${name}`;
  }),
  cell('Targets', (object) => {
    const current = objectsAt(objectAt(object, 'status'), 'currentMetrics');
    const metrics = objectsAt(objectAt(object, 'spec'), 'metrics');
    return metrics.map((metric, index) => metricText(metric, current[index])).join(', ');
  }),
  cell('MinPods', (object) => String(objectAt(object, 'spec').minReplicas ?? '<unset>')),
  cell('MaxPods', (object) => specCount(object, 'maxReplicas')),
  cell('Replicas', (object) => statusCount(object, 'currentReplicas')),
  ageCell,
]);
