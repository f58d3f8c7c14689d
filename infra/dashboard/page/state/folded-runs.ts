import type { RunView } from '../../views.ts';

export type Shown = RunView & {
  /** Number of earlier runs with the same trigger that wrote nothing and reported the same. */
  readonly more: number;
};

/** Returns undefined for a run that wrote something. */
function reportedBy({ trigger, changes, blocked, error, writes = 0 }: RunView): string | undefined {
  if (writes > 0) return undefined;
  const strings = changes.map(({ of, text }) => `${of} ${text}`).toSorted();
  return JSON.stringify([trigger, blocked, error, ...strings]);
}

/** Folds consecutive runs that wrote nothing and reported the same, in any order, into one. */
export function folded(runs: readonly RunView[]): readonly Shown[] {
  const shown: Shown[] = [];
  for (const run of runs) {
    const last = shown.at(-1);
    const reported = reportedBy(run);
    if (last !== undefined && reported !== undefined && reported === reportedBy(last))
      shown[shown.length - 1] = { ...last, more: last.more + 1 };
    else shown.push({ ...run, more: 0 });
  }
  return shown;
}
