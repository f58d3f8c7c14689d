import { type JsonMap, listAt, mapAt, mapsAt, textAt } from '../objects/object.ts';
import { ageCell, cell, printer } from './printer.ts';
import { selectorText } from './workloads.ts';

const portText = ({ port, nodePort, protocol }: JsonMap): string =>
  `${port}${nodePort ? `:${nodePort}` : ''}/${protocol}`;

const balancers = (object: JsonMap): string =>
  mapsAt(mapAt(mapAt(object, 'status'), 'loadBalancer'), 'ingress')
    .map((one) => textAt(one, 'ip') || textAt(one, 'hostname'))
    .join(',');

const externalIp = (object: JsonMap): string => {
  const spec = mapAt(object, 'spec');
  if (spec.type === 'ExternalName') return textAt(spec, 'externalName');
  const named = listAt(spec, 'externalIPs').join(',');
  if (spec.type !== 'LoadBalancer') return named || '<none>';
  return [balancers(object), named].filter(Boolean).join(',') || '<pending>';
};

export const servicePrinter = printer([
  cell('Type', (object) => textAt(mapAt(object, 'spec'), 'type')),
  cell('Cluster-IP', (object) => textAt(mapAt(object, 'spec'), 'clusterIP') || '<none>'),
  cell('External-IP', externalIp),
  cell('Port(s)', (object) => {
    const ports = mapsAt(mapAt(object, 'spec'), 'ports');
    return ports.length === 0 ? '<none>' : ports.map(portText).join(',');
  }),
  ageCell,
  cell('Selector', (object) => selectorText(mapAt(object, 'spec').selector), { wide: true }),
]);

const hosts = (object: JsonMap): string => {
  const names = mapsAt(mapAt(object, 'spec'), 'rules').map((rule) => textAt(rule, 'host') || '*');
  if (names.length === 0) return '*';
  const more = names.length - 3;
  return names.slice(0, 3).join(',') + (more > 0 ? ` + ${more} more...` : '');
};

export const ingressPrinter = printer([
  cell('Class', (object) => textAt(mapAt(object, 'spec'), 'ingressClassName') || '<none>'),
  cell('Hosts', hosts),
  cell('Address', balancers),
  cell('Ports', (object) => (listAt(mapAt(object, 'spec'), 'tls').length > 0 ? '80, 443' : '80')),
  ageCell,
]);
