import { expect, test } from 'vitest';
import { child, configMap, defineKind, job, Type } from '../../index.ts';
import { expectConverged } from '../../testing/index.ts';
import { depot } from '../support/finalizing-kind.ts';

test('a kind that cleans up keeps the laws', async () => {
  const { children, warnings } = await expectConverged(depot);
  expect(children).toEqual([
    'Job north-make',
    'ConfigMap north-bucket',
    'ConfigMap north-settings',
  ]);
  expect(warnings).toEqual([]);
});

test('a clean-up that never ends breaks a law, which says what it waits for', async () => {
  const stuck = defineKind({
    ...{ group: 'example.org', version: 'v1', kind: 'Stuck', plural: 'stucks' },
    spec: Type.Object({}),
    samples: [{ name: 'one', spec: {} }],
    owns: [configMap, job],
    children: ({ name }) => [child(configMap, { name, body: {} })],
    finalize: ({ name }) => [
      child(configMap, { name, body: {}, blocked: { reason: 'Never', message: 'never' } }),
    ],
  });
  await expect(expectConverged(stuck)).rejects.toThrow(
    /it still exists, with finalizers \["example\.org\/serverless-reconciler"\]: never/,
  );
});
