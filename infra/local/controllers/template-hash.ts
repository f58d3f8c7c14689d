import { createHash } from 'node:crypto';

/** A short name for a template, by which ReplicaSets differ. */
export function hashOf(template: string): string {
  return createHash('sha256').update(template).digest('hex').slice(0, 10);
}
