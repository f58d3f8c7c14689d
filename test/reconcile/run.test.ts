import { expect, test } from 'vitest';
import { withMemory } from '../../shared/run/run.ts';
import { foo } from '../../systems/foo.ts';
import { useStepWorld } from './use-engine.ts';

const world = useStepWorld([foo]);

test('a run derived with its own memory ends when the original run is stopped', () => {
  const stopping = new AbortController();
  let end = 1;
  const { memory } = world.run.limits;
  const limits = { deadline: () => end, stopped: stopping.signal, memory };
  const own = withMemory({ ...world.run, limits }, memory.part());
  expect(own.limits.stopped).toBe(stopping.signal);
  end = 0;
  expect(own.limits.deadline()).toBe(0);
});
