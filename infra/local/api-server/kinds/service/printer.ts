import { type JsonObject, listAt, objectAt, objectsAt, textAt } from '../../json/value.ts';
import { balancers, selectorText } from '../../printing/cells.ts';
import { ageCell, cell, printer } from '../../printing/printer.ts';

function portText({ port, nodePort, protocol }: JsonObject): string {
  return `${port}${nodePort ? `:${nodePort}` : ''}/${protocol}`;
}

function externalIp(object: JsonObject): string {
  const spec = objectAt(object, 'spec');
  if (spec.type === 'ExternalName') return textAt(spec, 'externalName');
  const named = listAt(spec, 'externalIPs').join(',');
  if (spec.type !== 'LoadBalancer') return named || '<none>';
  return [balancers(object), named].filter(Boolean).join(',') || '<pending>';
}

export const servicePrinter = printer([
  cell('Type', (object) => textAt(objectAt(object, 'spec'), 'type')),
  cell('Cluster-IP', (object) => textAt(objectAt(object, 'spec'), 'clusterIP') || '<none>'),
  cell('External-IP', externalIp),
  cell('Port(s)', (object) => {
    const ports = objectsAt(objectAt(object, 'spec'), 'ports');
    return ports.length === 0 ? '<none>' : ports.map(portText).join(',');
  }),
  ageCell,
  cell('Selector', (object) => selectorText(objectAt(object, 'spec').selector), { wide: true }),
]);
