import { type JsonObject, objectAt, objectsAt, textAt } from '../../json/value.ts';
import { number, selectorText, specCount, statusCount } from '../../printing/cells.ts';
import { ageCell, cell, printer } from '../../printing/printer.ts';

const ready = cell(
  'Ready',
  (object) => `${statusCount(object, 'readyReplicas')}/${specCount(object, 'replicas')}`,
);

function podSpec(object: JsonObject): JsonObject {
  return objectAt(objectAt(objectAt(object, 'spec'), 'template'), 'spec');
}

function joined(field: string) {
  return (object: JsonObject) =>
    objectsAt(podSpec(object), 'containers')
      .map((container) => textAt(container, field))
      .join(',');
}

const containers = cell('Containers', joined('name'), { wide: true });
const images = cell('Images', joined('image'), { wide: true });

const selector = cell('Selector', (object) => selectorText(objectAt(object, 'spec').selector), {
  wide: true,
});

export const deploymentPrinter = printer([
  ready,
  cell('Up-to-date', (object) => statusCount(object, 'updatedReplicas')),
  cell('Available', (object) => statusCount(object, 'availableReplicas')),
  ageCell,
  containers,
  images,
  selector,
]);

export const statefulSetPrinter = printer([ready, ageCell, containers, images]);

export const replicaSetPrinter = printer([
  number('Desired', (object) => specCount(object, 'replicas')),
  number('Current', (object) => statusCount(object, 'replicas')),
  number('Ready', (object) => statusCount(object, 'readyReplicas')),
  ageCell,
  containers,
  images,
  selector,
]);
