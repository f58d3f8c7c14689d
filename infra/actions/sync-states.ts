/**
 * States of a child, or of a resource with all its children, the worst first. Each has its level: it needs a
 * person, the next run repairs it, it changes by itself, nothing happens, or it is well.
 *
 * - `Unwanted`: not pruned yet
 * - `Contested`: others keep undoing our change; left to the next resync
 * - `Progressing`: up to date and not ready yet, or about to follow an edit
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
  InSync: 'good',
} as const satisfies Readonly<Record<string, 'bad' | 'warn' | 'busy' | 'idle' | 'good'>>;

export type StateName = keyof typeof levels;

export const syncStates = Object.keys(levels) as readonly StateName[];
