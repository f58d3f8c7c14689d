import { limitRange } from '../../../index.ts';
import { casesOf } from '../cases.ts';

export const cases = casesOf(limitRange, {
  body: { spec: { limits: [{ type: 'Container', max: { cpu: '2000m', memory: '1024Mi' } }] } },
  edit: {
    patch: { spec: { limits: [{ type: 'Container', max: { cpu: '1' } }] } },
    path: 'spec.limits',
  },
  impact: { created: [], deleted: [] },
});
