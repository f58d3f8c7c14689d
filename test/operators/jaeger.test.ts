import { expectConverged, expectReliable } from 'serverless-reconciler/testing';
import { expect, test } from 'vitest';
import { jaeger } from './jaeger.ts';

const production = {
  name: 'prod',
  spec: { strategy: 'production', storage: { type: 'cassandra' } },
};

test('a Jaeger obeys the laws of the engine', async () => {
  const { children } = await expectConverged(jaeger, { resource: production });
  expect(children).toContain('Deployment prod-collector');
}, 180_000);

test('no specification of a Jaeger breaks a law', async () => {
  await expectReliable(jaeger, { seconds: 2 });
}, 180_000);
