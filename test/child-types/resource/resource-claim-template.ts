import { resourceClaimTemplate } from '../../../index.ts';
import { casesOf, relabelled } from '../cases.ts';
import { devices } from '../samples.ts';

export const cases = casesOf(resourceClaimTemplate, {
  body: { spec: { spec: { devices } } },
  edit: relabelled,
  fixed: { spec: { spec: { devices: { requests: [{ ...devices.requests[0], name: 'other' }] } } } },
  impact: { created: [], deleted: ['unknown'] },
});
