import { type JsonObject, listAt, objectAt, objectsAt, textAt } from '../../json/value.ts';
import { balancers } from '../../printing/cells.ts';
import { ageCell, cell, printer } from '../../printing/printer.ts';

function hosts(object: JsonObject): string {
  const names = objectsAt(objectAt(object, 'spec'), 'rules').map(
    (rule) => textAt(rule, 'host') || '*',
  );
  if (names.length === 0) return '*';
  const more = names.length - 3;
  return names.slice(0, 3).join(',') + (more > 0 ? ` + ${more} more...` : '');
}

export const ingressPrinter = printer([
  cell('Class', (object) => textAt(objectAt(object, 'spec'), 'ingressClassName') || '<none>'),
  cell('Hosts', hosts),
  cell('Address', balancers),
  cell('Ports', (object) =>
    listAt(objectAt(object, 'spec'), 'tls').length > 0 ? '80, 443' : '80',
  ),
  ageCell,
]);
