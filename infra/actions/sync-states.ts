/**
 * States of a child, or of a resource with all its children, the worst first. Each has a level: `bad` needs a
 * person, `warn` is repaired by the next run, `busy` changes by itself, `idle` is left alone, `good` is in sync.
 *
 * - `Unwanted`: not pruned yet
 * - `Contested`: others keep undoing our change; left to the next resync
 * - `Progressing`: not ready yet although up to date; edited and not updated yet; or waiting for another child
 */
export const levels = {
  Failed: 'bad',
  Blocked: 'bad',
  Foreign: 'bad',
  Contested: 'bad',
  Missing: 'warn',
  Drifted: 'warn',
  Unwanted: 'warn',
  Deleting: 'busy',
  Progressing: 'busy',
  Suspended: 'idle',
  Observed: 'idle',
  InSync: 'good',
} as const satisfies Readonly<Record<string, 'bad' | 'warn' | 'busy' | 'idle' | 'good'>>;

export type StateName = keyof typeof levels;

export const syncStates = Object.keys(levels) as readonly StateName[];

interface Stated {
  readonly sync: { readonly state: StateName };
}

const severity = ({ sync }: Stated): number => syncStates.indexOf(sync.state);

export const worstFirst = (a: Stated, b: Stated): number => severity(a) - severity(b);
