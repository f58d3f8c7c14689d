import { type FieldError, invalid, notSupported, required } from '../../errors/field-error.ts';
import { type JsonObject, objectAt, textAt } from '../../json/value.ts';
import { negative, unlisted } from '../../objects/field-rules.ts';
import type { KubeObject } from '../../objects/object.ts';
import { jobSpecErrors } from './job-validation.ts';
import { isKnownZone, scheduleProblem } from './schedule.ts';

/** Validates a CronJob. */
export function cronJobErrors(object: KubeObject, old?: KubeObject): FieldError[] {
  const spec = objectAt(object, 'spec');
  const before = old && objectAt(old, 'spec');
  return [
    ...scheduleErrors(spec, before),
    ...negative(spec, 'spec', ['startingDeadlineSeconds']),
    ...(spec.timeZone === undefined || spec.timeZone === before?.timeZone
      ? []
      : timeZoneErrors(textAt(spec, 'timeZone'), 'spec.timeZone')),
    ...unlisted(spec.concurrencyPolicy, 'spec.concurrencyPolicy', ['Allow', 'Forbid', 'Replace']),
    ...jobTemplateErrors(objectAt(objectAt(spec, 'jobTemplate'), 'spec'), 'spec.jobTemplate.spec'),
    ...negative(spec, 'spec', ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit']),
    ...(old ? [] : nameErrors(object.metadata.name ?? '')),
  ];
}

/** A Job has the name of its CronJob and eleven more characters. */
const maxName = 52;

function nameErrors(name: string): FieldError[] {
  if (name.length <= maxName) return [];
  return [invalid('metadata.name', name, `must be no more than ${maxName} characters`)];
}

function scheduleErrors(spec: JsonObject, old: JsonObject | undefined): FieldError[] {
  const field = 'spec.schedule';
  const schedule = textAt(spec, 'schedule');
  if (schedule === '') return [required(field)];
  const problem = scheduleProblem(schedule);
  return [
    ...(problem === undefined ? [] : [invalid(field, schedule, problem)]),
    ...zoneInSchedule(schedule, spec.timeZone, old).map((why) => invalid(field, schedule, why)),
  ];
}

function zoneInSchedule(
  schedule: string,
  timeZone: unknown,
  old: JsonObject | undefined,
): string[] {
  if (!schedule.includes('TZ')) return [];
  if (!textAt(old, 'schedule').includes('TZ')) {
    return ['cannot use TZ or CRON_TZ in schedule, use timeZone field instead'];
  }
  return timeZone === undefined
    ? []
    : ['cannot use both timeZone field and TZ or CRON_TZ in schedule'];
}

function timeZoneErrors(zone: string, path: string): FieldError[] {
  if (zone === '') return [invalid(path, zone, 'timeZone must be nil or non-empty string')];
  const isNamed = zone
    .split('/')
    .every((part) => /^(?![-]|\.\.?$)[A-Za-z._0-9+-]{1,14}$/.test(part));
  if (!isNamed) return [invalid(path, zone, `unknown time zone ${zone}`)];
  const isLocal = zone.toLowerCase() === 'local';
  const why =
    'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';
  return [
    ...(isLocal ? [invalid(path, zone, why)] : []),
    ...(isLocal || isKnownZone(zone) ? [] : [invalid(path, zone, `unknown time zone ${zone}`)]),
  ];
}

function jobTemplateErrors(spec: JsonObject, path: string): FieldError[] {
  const generated = '`selector` will be auto-generated';
  return [
    ...jobSpecErrors(spec, path),
    ...(spec.selector === undefined ? [] : [invalid(`${path}.selector`, spec.selector, generated)]),
    ...(spec.manualSelector === true
      ? [notSupported(`${path}.manualSelector`, true, ['nil', 'false'])]
      : []),
  ];
}
