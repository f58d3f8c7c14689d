import { type JsonObject, objectAt, objectsAt, textAt } from '../../json/value.ts';
import { number, selectorText, specCount, statusCount } from '../../printing/cells.ts';
import { ageCell, type Cell, cell, printer } from '../../printing/printer.ts';

const ready = cell(
  'Ready',
  (object) => `${statusCount(object, 'readyReplicas')}/${specCount(object, 'replicas')}`,
);

/** Returns the names and images of a template's containers. */
export function containerCells(templateOf: (object: JsonObject) => JsonObject): Cell[] {
  const joined = (field: string) => (object: JsonObject) =>
    objectsAt(objectAt(templateOf(object), 'spec'), 'containers')
      .map((container) => textAt(container, field))
      .join(',');
  return [cell('Containers', joined('name')), cell('Images', joined('image'))];
}

/** The last columns of a workload in wide tables: containers, images and selector. */
export const workloadCells: readonly Cell[] = [
  ...containerCells((object) => objectAt(objectAt(object, 'spec'), 'template')),
  cell('Selector', (object) => selectorText(objectAt(object, 'spec').selector)),
].map((one) => ({ ...one, priority: 1 }));

export const deploymentPrinter = printer([
  ready,
  cell('Up-to-date', (object) => statusCount(object, 'updatedReplicas')),
  cell('Available', (object) => statusCount(object, 'availableReplicas')),
  ageCell,
  ...workloadCells,
]);

export const daemonSetPrinter = printer([
  number('Desired', (object) => statusCount(object, 'desiredNumberScheduled')),
  number('Current', (object) => statusCount(object, 'currentNumberScheduled')),
  number('Ready', (object) => statusCount(object, 'numberReady')),
  number('Up-to-date', (object) => statusCount(object, 'updatedNumberScheduled')),
  number('Available', (object) => statusCount(object, 'numberAvailable')),
  cell('Node Selector', (object) => {
    const template = objectAt(objectAt(object, 'spec'), 'template');
    return selectorText(objectAt(objectAt(template, 'spec'), 'nodeSelector'));
  }),
  ageCell,
  ...workloadCells,
]);

export const statefulSetPrinter = printer([ready, ageCell, ...workloadCells.slice(0, 2)]);

export const replicaSetPrinter = printer([
  number('Desired', (object) => specCount(object, 'replicas')),
  number('Current', (object) => statusCount(object, 'replicas')),
  number('Ready', (object) => statusCount(object, 'readyReplicas')),
  ageCell,
  ...workloadCells,
]);
