import { networkPolicy } from '../../../index.ts';
import { casesOf } from '../cases.ts';
import { selector } from '../samples.ts';

export const cases = casesOf(networkPolicy, {
  body: {
    spec: {
      podSelector: selector,
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ from: [{ podSelector: {} }], ports: [{ port: 80 }, { port: 'http' }] }],
      egress: [{ to: [{ ipBlock: { cidr: '10.0.0.0/8' } }] }],
    },
  },
  edit: { patch: { spec: { ingress: [] } }, path: 'spec.ingress' },
  impact: {
    created: ['close'],
    deleted: ['open'],
    changes: {
      'its rules': {
        reason: 'rules are not compared, so both are possible',
        fields: { 'spec.ingress': [[], [{}]] },
        want: ['open', 'close'],
      },
    },
  },
});
