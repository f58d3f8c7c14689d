import { expect, test } from 'vitest';
import { withOwnMemory } from '../../shared/run/run.ts';
import { foo } from '../../systems/foo.ts';
import { useStepWorld } from './use-engine.ts';

const world = useStepWorld([foo]);

test('a run derived with its own memory ends when the original run is stopped', () => {
  const stopping = new AbortController();
  const { memory, deadline } = world.run.limits;
  let end = deadline;
  const limits = {
    get deadline() {
      return end;
    },
    stopped: stopping.signal,
    memory,
  };
  const own = withOwnMemory(withOwnMemory({ ...world.run, limits }));
  expect(own.limits).toMatchObject({ deadline, stopped: stopping.signal });
  end = 0;
  expect(own.limits.deadline).toBe(0);
});
