import type { Findings } from '../../shared/kinds/kind.ts';

/** What the engine knows of a ready resource without children and references. */
export const findingsOf = (over: Partial<Findings>): Findings => ({
  name: 'a',
  namespace: 'default',
  uid: 'u',
  createdAt: '2026-01-01T00:00:00Z',
  spec: {},
  state: 'Ready',
  children: [],
  finder: () => () => undefined,
  isPast: () => false,
  ...over,
});
