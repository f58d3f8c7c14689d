import { cronJob } from '../../../index.ts';
import { casesOf } from '../cases.ts';
import { onceTemplate } from '../samples.ts';

export const cases = casesOf(cronJob, {
  body: {
    spec: {
      schedule: '*/5 * * * *',
      concurrencyPolicy: 'Forbid',
      timeZone: 'Etc/UTC',
      jobTemplate: { spec: { template: onceTemplate } },
    },
  },
  edit: { patch: { spec: { schedule: '0 0 * * *' } }, path: 'spec.schedule' },
  impact: {
    created: [],
    deleted: ['interrupt'],
    changes: {
      'its template': {
        reason: 'running Jobs stay as they are',
        fields: { 'spec.jobTemplate.spec.template.spec': [{}, { a: 1 }] },
        want: [],
      },
    },
  },
});
