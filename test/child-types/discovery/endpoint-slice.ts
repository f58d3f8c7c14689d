import { endpointSlice } from '../../../index.ts';
import { casesOf } from '../cases.ts';

export const cases = casesOf(endpointSlice, {
  body: {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['192.0.2.1'] }],
    ports: [{ name: 'http', port: 80 }],
  },
  edit: { patch: { endpoints: [] }, path: 'endpoints' },
  fixed: { addressType: 'IPv6' },
  impact: { created: [], deleted: ['unknown'] },
});
