import { resourceClaim } from '../../../index.ts';
import { casesOf, relabelled } from '../cases.ts';
import { devices } from '../samples.ts';

export const cases = casesOf(resourceClaim, {
  body: { spec: { devices } },
  edit: relabelled,
  fixed: { spec: { devices: { requests: [{ ...devices.requests[0], name: 'other' }] } } },
  impact: { created: [], deleted: ['unknown'] },
});
