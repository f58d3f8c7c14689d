import { priorityClass } from '../../../index.ts';
import { casesOf } from '../cases.ts';

export const cases = casesOf(priorityClass, {
  body: { value: 7, description: 'trees' },
  edit: { patch: { description: 'cars' }, path: 'description' },
  fixed: { preemptionPolicy: 'Never', value: 8 },
  impact: { created: [], deleted: ['unknown'] },
});
