import type { ChildSync } from '../actions/sync-state.ts';

const words = {
  Current: 'ready',
  InProgress: 'not ready',
  Failed: 'failed',
  Deleting: 'being deleted',
  Absent: 'absent',
  Unknown: 'not read',
} as const;

export const healthOf = ({ sync, health }: Pick<ChildSync, 'sync' | 'health'>): string =>
  health.state === 'Absent' && sync.state === 'Foreign' ? 'foreign' : words[health.state];
