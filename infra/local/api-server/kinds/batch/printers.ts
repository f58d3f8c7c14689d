import {
  type JsonObject,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  textAt,
} from '../../json/value.ts';
import { number, selectorText, specCount, statusCount } from '../../printing/cells.ts';
import { ageOf, humanDuration } from '../../printing/duration.ts';
import { ageCell, cell, printer } from '../../printing/printer.ts';
import { containerCells, workloadCells } from '../workload/printers.ts';

function completions(object: JsonObject): string {
  const succeeded = statusCount(object, 'succeeded');
  const wanted = numberAt(objectAt(object, 'spec'), 'completions');
  if (wanted !== undefined) return `${succeeded}/${wanted}`;
  const parallelism = specCount(object, 'parallelism');
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

/** The first of these conditions that is true is shown. */
const finalConditions = ['Complete', 'Failed'];
const otherConditions = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'];

function jobStatus(object: JsonObject): string {
  const conditions = objectsAt(objectAt(object, 'status'), 'conditions');
  const firstOf = (types: readonly string[]): string | undefined =>
    types.find((type) => conditions.some((one) => one.type === type && one.status === 'True'));
  const isDeleting = objectAt(object, 'metadata').deletionTimestamp !== undefined;
  return (
    firstOf(finalConditions) ??
    (isDeleting ? 'Terminating' : (firstOf(otherConditions) ?? 'Running'))
  );
}

function duration(object: JsonObject, now: Date): string {
  const status = objectAt(object, 'status');
  const started = Date.parse(textAt(status, 'startTime'));
  if (Number.isNaN(started)) return '';
  const ended = Date.parse(textAt(status, 'completionTime'));
  return humanDuration(((Number.isNaN(ended) ? now.getTime() : ended) - started) / 1000);
}

export const jobPrinter = printer([
  cell('Status', jobStatus),
  cell('Completions', completions),
  cell('Duration', duration),
  ageCell,
  ...workloadCells,
]);

function jobSpec(object: JsonObject): JsonObject {
  return objectAt(objectAt(objectAt(object, 'spec'), 'jobTemplate'), 'spec');
}

export const cronJobPrinter = printer([
  cell('Schedule', (object) => textAt(objectAt(object, 'spec'), 'schedule')),
  cell('Timezone', (object) => textAt(objectAt(object, 'spec'), 'timeZone') || '<none>'),
  cell('Suspend', (object) => (objectAt(object, 'spec').suspend === true ? 'True' : 'False'), {
    type: 'boolean',
  }),
  number('Active', (object) => listAt(objectAt(object, 'status'), 'active').length),
  cell('Last Schedule', (object, now) => {
    const last = textAt(objectAt(object, 'status'), 'lastScheduleTime');
    return last === '' ? '<none>' : ageOf(last, now);
  }),
  ageCell,
  ...[
    ...containerCells((object) => objectAt(jobSpec(object), 'template')),
    cell('Selector', (object) => selectorText(jobSpec(object).selector)),
  ].map((one) => ({ ...one, priority: 1 })),
]);
