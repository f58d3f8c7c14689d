import { type JsonObject, numberAt, objectAt, textAt } from '../../json/value.ts';
import { ageOf } from '../../printing/duration.ts';
import type { Printer } from '../../printing/printer.ts';
import { type Cell, cell, nameCell } from '../../printing/printer.ts';

/** The names of the printed fields in either API. */
interface EventFields {
  readonly about: string;
  readonly text: string;
  readonly first: string;
  readonly last: string;
  readonly count: string;
  readonly source: string;
}

function printerOf(fields: EventFields): Printer {
  // Omits the column for the name, as the server does.
  const cells = eventCells(fields);
  return {
    columns: cells.map(({ value: _, ...column }) => column),
    cells: (object, now) => cells.map(({ value }) => value(object, now)),
  };
}

function eventCells(fields: EventFields): readonly Cell[] {
  const first = (object: JsonObject): unknown => object[fields.first] ?? object.eventTime;
  const seriesOf = (object: JsonObject): JsonObject => objectAt(object, 'series');
  const last = (object: JsonObject): unknown =>
    seriesOf(object).lastObservedTime ?? object[fields.last] ?? first(object);
  const count = (object: JsonObject): number =>
    (numberAt(seriesOf(object), 'count') ?? numberAt(object, fields.count)) || 1;
  return [
    cell('Last Seen', (object, now) => ageOf(last(object), now)),
    cell('Type', (object) => textAt(object, 'type')),
    cell('Reason', (object) => textAt(object, 'reason')),
    cell('Object', (object) => {
      const { kind, name } = objectAt(object, fields.about);
      return [String(kind ?? '').toLowerCase(), name].filter(Boolean).join('/');
    }),
    cell('Subobject', (object) => textAt(objectAt(object, fields.about), 'fieldPath'), {
      wide: true,
    }),
    cell('Source', (object) => sourceText(object, fields.source), { wide: true }),
    cell('Message', (object) => textAt(object, fields.text).trim()),
    cell('First Seen', (object, now) => ageOf(first(object), now), { wide: true }),
    cell('Count', count, { wide: true }),
    { ...nameCell, priority: 1 },
  ];
}

function sourceText(object: JsonObject, field: string): string {
  const { component, host } = objectAt(object, field);
  const reporter = textAt(object, 'reportingComponent') || textAt(object, 'reportingController');
  const instance = host || textAt(object, 'reportingInstance');
  return [component || reporter, instance].filter(Boolean).join(', ');
}

export const coreEventPrinter = printerOf({
  about: 'involvedObject',
  text: 'message',
  first: 'firstTimestamp',
  last: 'lastTimestamp',
  count: 'count',
  source: 'source',
});

export const newEventPrinter = printerOf({
  about: 'regarding',
  text: 'note',
  first: 'deprecatedFirstTimestamp',
  last: 'deprecatedLastTimestamp',
  count: 'deprecatedCount',
  source: 'deprecatedSource',
});
