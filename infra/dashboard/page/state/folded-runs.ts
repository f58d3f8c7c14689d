import type { RunView } from '../../views.ts';

export type Shown = RunView & {
  /** The number of earlier runs with the same report that this run stands for. */
  readonly more: number;
};

/** Returns the same text for runs with the same report; undefined for a run that wrote something. */
function reportedBy({ trigger, changes, blocked, error, writes = 0 }: RunView): string | undefined {
  if (writes > 0) return undefined;
  const strings = changes.map(({ of, text }) => `${of} ${text}`).toSorted();
  return JSON.stringify([trigger, blocked, error, ...strings]);
}

/** Joins consecutive runs with the same trigger and report into one, if they wrote nothing. */
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
