import { type JsonObject, objectAt, objectsAt, textAt } from '../../json/value.ts';
import { ageCell, cell, printer } from '../../printing/printer.ts';

function readinessGates(object: JsonObject): string {
  const gates = objectsAt(objectAt(object, 'spec'), 'readinessGates');
  if (gates.length === 0) return '<none>';
  const conditions = objectsAt(objectAt(object, 'status'), 'conditions');
  const met = gates.filter(({ conditionType }) =>
    conditions.some(({ type, status }) => type === conditionType && status === 'True'),
  );
  return `${met.length}/${gates.length}`;
}

export const podPrinter = printer([
  cell('Ready', (object) => {
    const states = objectsAt(objectAt(object, 'status'), 'containerStatuses');
    const all = objectsAt(objectAt(object, 'spec'), 'containers').length;
    return `${states.filter((state) => state.ready === true).length}/${all}`;
  }),
  cell('Status', (object) =>
    objectAt(object, 'metadata').deletionTimestamp
      ? 'Terminating'
      : textAt(objectAt(object, 'status'), 'phase'),
  ),
  cell('Restarts', () => '0'),
  ageCell,
  cell('IP', (object) => textAt(objectAt(object, 'status'), 'podIP') || '<none>', { wide: true }),
  cell('Node', (object) => textAt(objectAt(object, 'spec'), 'nodeName') || '<none>', {
    wide: true,
  }),
  cell(
    'Nominated Node',
    (object) => textAt(objectAt(object, 'status'), 'nominatedNodeName') || '<none>',
    { wide: true },
  ),
  cell('Readiness Gates', readinessGates, { wide: true }),
]);
