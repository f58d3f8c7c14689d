import { expect, it } from 'vitest';
import { expectConverged, expectReliable } from '../../testing/index.ts';
import { mesh } from '../support/mesh.ts';

it('a kind with certificates obeys the laws of the engine', async () => {
  await expectConverged(mesh);
});

it('a kind with certificates is reliable', async () => {
  const { failure } = (await expectReliable(mesh, { seconds: 8, seed: 1 })) as {
    failure?: unknown;
  };
  expect(failure).toBeUndefined();
});
