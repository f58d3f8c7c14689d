import { expectConverged, expectReliable } from 'serverless-reconciler/testing';
import { expect, test, vi } from 'vitest';
import { isWhole } from '../../properties/runs.ts';
import { jaeger } from './jaeger.ts';

vi.setConfig({ testTimeout: 180_000 });
/** The seed of `npm test` is fixed, so that it never fails by chance. */
const search = isWhole ? { seconds: 30 } : { seconds: 2, seed: 1 };

const production = {
  name: 'prod',
  spec: { strategy: 'production', storage: { type: 'cassandra' } },
};

test('a Jaeger obeys the laws of the engine', async () => {
  const { children } = await expectConverged(jaeger, { resource: production });
  expect(children).toContain('Deployment prod-collector');
});

test('no spec of a Jaeger breaks a law', async () => {
  await expectReliable(jaeger, { ...search });
});
