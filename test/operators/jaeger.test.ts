import { expectConverged, expectReliable } from 'serverless-reconciler/testing';
import { expect, test, vi } from 'vitest';
import { jaeger } from './jaeger.ts';

vi.setConfig({ testTimeout: 180_000 });

const production = {
  name: 'prod',
  spec: { strategy: 'production', storage: { type: 'cassandra' } },
};

test('a Jaeger obeys the laws of the engine', async () => {
  const { children } = await expectConverged(jaeger, { resource: production });
  expect(children).toContain('Deployment prod-collector');
});

test('no specification of a Jaeger breaks a law', async () => {
  await expectReliable(jaeger, { seconds: 2 });
});
