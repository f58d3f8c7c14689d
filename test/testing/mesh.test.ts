import { expect, it } from 'vitest';
import { expectConverged, expectReliable } from '../../testing/index.ts';
import { mesh } from '../support/mesh.ts';

it('expectConverged accepts a kind with certificates', async () => {
  await expectConverged(mesh);
});

it('expectReliable accepts a kind with certificates', async () => {
  const { failure } = (await expectReliable(mesh, { seconds: 8, seed: 1 })) as {
    failure?: unknown;
  };
  expect(failure).toBeUndefined();
});
