import { expect, test } from 'vitest';
import { withOwnMemory } from '../../shared/run/run.ts';
import { foo } from '../../systems/foo.ts';
import { useStepWorld } from './use-engine.ts';

const world = useStepWorld([foo]);

test('a run derived with its own memory ends when the original run is stopped', () => {
  const stopping = new AbortController();
  let end = 1;
  const run = { ...world.run, deadline: () => end, stopped: stopping.signal };
  const own = withOwnMemory(withOwnMemory(run));
  expect(own.stopped).toBe(stopping.signal);
  end = 0;
  expect(own.deadline()).toBe(0);
});
