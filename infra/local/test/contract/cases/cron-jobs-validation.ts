import type { ContractCase } from '../contract-case.ts';
import { judged } from '../judged.ts';
import { cronJob, onceTemplate, paths } from '../objects.ts';

const steps = (rows: Parameters<typeof judged>[2]) => judged(paths.cronJobs, 'CronJob.batch', rows);

export const cases: readonly ContractCase[] = [
  {
    id: 'schedules',
    reason: 'a schedule has five fields, or a name',
    steps: steps([
      { given: cronJob('x', { schedule: '@daily' }), want: 'accepted' },
      { given: cronJob('x', { schedule: '@every 5m' }), want: 'accepted' },
      { given: cronJob('x', { schedule: '*/5 1-5,7 * jan MON-FRI' }), want: 'accepted' },
      { given: cronJob('x', { schedule: '? * * * *' }), want: 'accepted' },
      {
        given: cronJob('x', { schedule: '' }),
        want: [['spec.schedule', 'Required value', 'FieldValueRequired']],
      },
      {
        given: cronJob('x', { schedule: 'never' }),
        want: [
          ['spec.schedule', 'Invalid value: "never": expected exactly 5 fields, found 1: [never]'],
        ],
      },
      {
        given: cronJob('x', { schedule: '* * * * * *' }),
        want: [
          [
            'spec.schedule',
            'Invalid value: "* * * * * *": expected exactly 5 fields, found 6: [* * * * * *]',
          ],
        ],
      },
      {
        given: cronJob('x', { schedule: '@sometimes' }),
        want: [
          ['spec.schedule', 'Invalid value: "@sometimes": unrecognized descriptor: @sometimes'],
        ],
      },
      {
        given: cronJob('x', { schedule: '@every 5x' }),
        want: [
          [
            'spec.schedule',
            'Invalid value: "@every 5x": failed to parse duration @every 5x: time: unknown unit "x" in duration "5x"',
          ],
        ],
      },
    ]),
  },
  {
    id: 'fields',
    reason: 'each field of a schedule has bounds, steps and ranges',
    steps: steps([
      {
        given: cronJob('x', { schedule: '60 * * * *' }),
        want: [
          [
            'spec.schedule',
            'Invalid value: "60 * * * *": end of range (60) above maximum (59): 60',
          ],
        ],
      },
      {
        given: cronJob('x', { schedule: '* * 0 * *' }),
        want: [
          [
            'spec.schedule',
            'Invalid value: "* * 0 * *": beginning of range (0) below minimum (1): 0',
          ],
        ],
      },
      {
        given: cronJob('x', { schedule: '* * * * 7' }),
        want: [
          ['spec.schedule', 'Invalid value: "* * * * 7": end of range (7) above maximum (6): 7'],
        ],
      },
      {
        given: cronJob('x', { schedule: '5-1 * * * *' }),
        want: [
          [
            'spec.schedule',
            'Invalid value: "5-1 * * * *": beginning of range (5) beyond end of range (1): 5-1',
          ],
        ],
      },
      {
        given: cronJob('x', { schedule: '*/0 * * * *' }),
        want: [
          [
            'spec.schedule',
            'Invalid value: "*/0 * * * *": step of range should be a positive number: */0',
          ],
        ],
      },
      {
        given: cronJob('x', { schedule: '1-2-3 * * * *' }),
        want: [['spec.schedule', 'Invalid value: "1-2-3 * * * *": too many hyphens: 1-2-3']],
      },
      {
        given: cronJob('x', { schedule: '1/2/3 * * * *' }),
        want: [['spec.schedule', 'Invalid value: "1/2/3 * * * *": too many slashes: 1/2/3']],
      },
      {
        given: cronJob('x', { schedule: '* * * x *' }),
        want: [
          [
            'spec.schedule',
            'Invalid value: "* * * x *": failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax',
          ],
        ],
      },
      {
        given: cronJob('x', { schedule: '-1 * * * *' }),
        want: [
          [
            'spec.schedule',
            'Invalid value: "-1 * * * *": failed to parse int from : strconv.Atoi: parsing "": invalid syntax',
          ],
        ],
      },
      {
        given: cronJob('x', { schedule: '1/-1 * * * *' }),
        want: [
          ['spec.schedule', 'Invalid value: "1/-1 * * * *": negative number (-1) not allowed: -1'],
        ],
      },
      {
        given: cronJob('x', { schedule: '99999999999999999999 * * * *' }),
        want: [
          [
            'spec.schedule',
            'Invalid value: "99999999999999999999 * * * *": failed to parse int from 99999999999999999999: strconv.Atoi: parsing "99999999999999999999": value out of range',
          ],
        ],
      },
    ]),
  },
  {
    id: 'time-zones',
    reason: 'a time zone is a field of its own, and exists',
    steps: steps([
      {
        given: cronJob('x', { schedule: 'TZ=UTC 0 * * * *' }),
        want: [
          [
            'spec.schedule',
            'Invalid value: "TZ=UTC 0 * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
          ],
        ],
      },
      {
        given: cronJob('x', { schedule: 'CRON_TZ=Nowhere 0 * * * *' }),
        want: [
          [
            'spec.schedule',
            'Invalid value: "CRON_TZ=Nowhere 0 * * * *": provided bad location Nowhere: unknown time zone Nowhere',
          ],
          [
            'spec.schedule',
            'Invalid value: "CRON_TZ=Nowhere 0 * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
          ],
        ],
      },
      { given: cronJob('x', { timeZone: 'Europe/Rome' }), want: 'accepted' },
      {
        given: cronJob('x', { timeZone: '' }),
        want: [['spec.timeZone', 'Invalid value: "": timeZone must be nil or non-empty string']],
      },
      {
        given: cronJob('x', { timeZone: 'Nowhere/Here' }),
        want: [['spec.timeZone', 'Invalid value: "Nowhere/Here": unknown time zone Nowhere/Here']],
      },
      {
        given: cronJob('x', { timeZone: 'Local' }),
        want: [
          [
            'spec.timeZone',
            'Invalid value: "Local": timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones',
          ],
        ],
      },
      {
        given: cronJob('x', { timeZone: '../etc' }),
        want: [['spec.timeZone', 'Invalid value: "../etc": unknown time zone ../etc']],
      },
      {
        given: cronJob('x', { timeZone: 'europe/rome' }),
        want: [['spec.timeZone', 'Invalid value: "europe/rome": unknown time zone europe/rome']],
      },
    ]),
  },
  {
    id: 'settings',
    reason: 'counts are not negative and policies are known',
    steps: steps([
      {
        given: cronJob('x', { concurrencyPolicy: 'Sometimes' }),
        want: [
          [
            'spec.concurrencyPolicy',
            'Unsupported value: "Sometimes": supported values: "Allow", "Forbid", "Replace"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: cronJob('x', {
          successfulJobsHistoryLimit: -1,
          failedJobsHistoryLimit: -1,
          startingDeadlineSeconds: -1,
        }),
        want: [
          ['spec.startingDeadlineSeconds', 'Invalid value: -1: must be greater than or equal to 0'],
          [
            'spec.successfulJobsHistoryLimit',
            'Invalid value: -1: must be greater than or equal to 0',
          ],
          ['spec.failedJobsHistoryLimit', 'Invalid value: -1: must be greater than or equal to 0'],
        ],
      },
      { given: cronJob('a'.repeat(52)), want: 'accepted' },
      {
        given: cronJob('a'.repeat(53)),
        want: [
          [
            'metadata.name',
            'Invalid value: "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": must be no more than 52 characters',
          ],
        ],
      },
    ]),
  },
  {
    id: 'templates',
    reason: 'its Jobs choose their pods themselves',
    steps: steps([
      {
        given: cronJob('x', { jobTemplate: undefined }),
        want: [
          [
            'spec.jobTemplate.spec.template.spec.containers',
            'Required value',
            'FieldValueRequired',
          ],
          [
            'spec.jobTemplate.spec.template.spec.restartPolicy',
            'Required value: valid values: "OnFailure", "Never"',
            'FieldValueRequired',
          ],
        ],
      },
      {
        given: cronJob('x', {
          jobTemplate: {
            spec: { template: onceTemplate(), selector: { matchLabels: { app: 'web' } } },
          },
        }),
        want: [
          [
            'spec.jobTemplate.spec.selector',
            'Invalid value: {"matchLabels":{"app":"web"}}: `selector` will be auto-generated',
          ],
        ],
      },
      {
        given: cronJob('x', {
          jobTemplate: { spec: { template: onceTemplate(), manualSelector: true } },
        }),
        want: [
          [
            'spec.jobTemplate.spec.manualSelector',
            'Unsupported value: true: supported values: "nil", "false"',
            'FieldValueNotSupported',
          ],
        ],
      },
      {
        given: cronJob('x', {
          jobTemplate: {
            spec: { template: onceTemplate({ restartPolicy: 'Always' }), parallelism: -1 },
          },
        }),
        want: [
          [
            'spec.jobTemplate.spec.parallelism',
            'Invalid value: -1: must be greater than or equal to 0',
          ],
          [
            'spec.jobTemplate.spec.template.spec.restartPolicy',
            'Required value: valid values: "OnFailure", "Never"',
            'FieldValueRequired',
          ],
        ],
      },
    ]),
  },
];
