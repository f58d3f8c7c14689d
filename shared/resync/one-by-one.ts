import { DeadlineError } from '../cluster/cluster-errors.ts';
import { within } from '../cluster/time-limit.ts';
import type { Run } from '../run/run.ts';

/**
 * Returns a function that runs tasks one at a time, across all runs of the process. Calls a task with false
 * if its turn does not come before the run's deadline.
 */
export function oneByOne<T>({ limits, clients }: Run) {
  let last: Promise<unknown> = Promise.resolve();
  const late = (): Error => new DeadlineError('another run has the turn');
  const begin = async (work: (isInTime: boolean) => Promise<T>): Promise<T> => {
    const turn = limits.memory.turn();
    const left = limits.deadline - clients.now().getTime();
    try {
      return await work(await within(left, () => turn, late).then(Boolean, () => false));
    } finally {
      void turn.then((end) => end());
    }
  };
  return (work: (isInTime: boolean) => Promise<T>): Promise<T> => {
    const done = last.then(() => begin(work));
    last = done;
    return done;
  };
}
