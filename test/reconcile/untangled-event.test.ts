import { expect, test } from 'vitest';
import { child, defineKind, podDisruptionBudget, Type } from '../../index.ts';
import { createTestEnvironment } from '../../testing/open-test-environment.ts';

const guard = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Guard',
  plural: 'guards',
  spec: Type.Object({}),
  samples: [],
  owns: [podDisruptionBudget],
  children: ({ name }) => [
    child(podDisruptionBudget, {
      name,
      body: { spec: { maxUnavailable: 1, selector: { matchLabels: { app: 'shop' } } } },
    }),
  ],
});

test('an Event names all fields that a repair changes, even if the controller writes between its two requests', async () => {
  // The controller updates the status after the patch that removes minAvailable, so the apply meets a conflict.
  await using env = await createTestEnvironment({ kinds: [guard] });
  await env.apply(guard, { name: 'shop', spec: {} });
  await env.resync();
  await env.resync();
  await env.patch(podDisruptionBudget, 'shop', {
    body: { spec: { maxUnavailable: null, minAvailable: 1 } },
  });
  await env.resync();
  const events = await env.events(guard, 'shop');
  expect(events.map(({ message }) => message)).toEqual([
    'PodDisruptionBudget shop: spec.maxUnavailable (none) → 1; spec.minAvailable 1 → (none), changed by kubectl-edit',
  ]);
});
