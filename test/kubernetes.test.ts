import { expect, test } from 'vitest';
import { commandLineName } from '../shared/kubernetes.ts';

test.each([
  ['deployment.apps/shop', { apiVersion: 'apps/v1', kind: 'Deployment', name: 'shop' }],
  ['service/shop', { apiVersion: 'v1', kind: 'Service', name: 'shop' }],
  [
    'resourcequota/tenant -n red',
    { apiVersion: 'v1', kind: 'ResourceQuota', namespace: 'red', name: 'tenant' },
  ],
])('kubectlName: an object is named as for kubectl: %s', (text, ref) => {
  expect(commandLineName(ref)).toBe(text);
});
