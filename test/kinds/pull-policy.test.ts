import { startInProcessCluster } from '@serverless-reconciler/local-cluster/in-process';
import { afterAll, expect, test } from 'vitest';
import { pullPolicyOf } from '../../index.ts';

const cluster = startInProcessCluster();
afterAll(cluster.stop);

const digest = `sha256:${'0'.repeat(64)}`;

/** Asks the API server which policy a new container gets. */
function defaultOf(image: string): unknown {
  const spec = { containers: [{ name: 'a', image }] };
  const { value } = cluster.send({
    user: 'tester',
    method: 'POST',
    path: '/api/v1/namespaces/default/pods?dryRun=All',
    contentType: 'application/json',
    body: { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' }, spec },
  });
  const { containers } = (value as { readonly spec: { readonly containers: readonly object[] } })
    .spec;
  return containers[0];
}

test.each([
  ['nginx', 'Always'],
  ['nginx:latest', 'Always'],
  ['nginx:1', 'IfNotPresent'],
  ['nginx:not-latest', 'IfNotPresent'],
  [`nginx@${digest}`, 'IfNotPresent'],
  [`nginx:1@${digest}`, 'IfNotPresent'],
  [`nginx:latest@${digest}`, 'Always'],
  ['example.com/a/latest', 'Always'],
  ['example.com:5000/a', 'Always'],
  ['example.com:5000/a:latest', 'Always'],
  ['example.com:5000/a:2', 'IfNotPresent'],
  ['localhost:5000', 'IfNotPresent'],
] as const)('a new container of %s has the policy %s', (image, policy) => {
  expect(pullPolicyOf(image)).toBe(policy);
  expect(defaultOf(image)).toMatchObject({ imagePullPolicy: policy });
});
