import { createHash } from 'node:crypto';

/** A short name for a template, as ReplicaSets are told apart by. */
export const hashOf = (template: string): string =>
  createHash('sha256').update(template).digest('hex').slice(0, 10);
