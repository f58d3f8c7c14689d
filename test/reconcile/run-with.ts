import type { Turn } from '../../shared/resource/turn.ts';
import type { Run } from '../../shared/run/run.ts';

/** The parts of a run that a test replaces. */
export type RunParts = Omit<Run, 'deadline'> & { readonly deadline: number };

/** Copies a run with some of its parts replaced. */
export const runWith = (run: Run, { deadline, ...parts }: Partial<RunParts>): Run => ({
  ...run,
  ...parts,
  ...(deadline === undefined ? {} : { deadline: () => deadline }),
});

/** Lets a turn continue with another run. */
export const turnWith = (turn: Turn, run: Run): Turn =>
  Object.assign(turn, { run, writing: run, ending: run });
