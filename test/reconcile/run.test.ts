import { expect, test } from 'vitest';
import { timeLeft, withMemory } from '../../shared/run/run.ts';
import { foo } from '../../systems/foo.ts';
import { useStepWorld } from './use-engine.ts';

const world = useStepWorld([foo]);

test('a run derived with its own memory ends when the original run is stopped', () => {
  const stopping = new AbortController();
  const limits = { ...world.run.limits, stopped: stopping.signal };
  const own = withMemory({ ...world.run, limits }, limits.memory.part());
  expect(timeLeft(own)).toBeGreaterThan(0);
  stopping.abort();
  expect(timeLeft(own)).toBe(0);
});
