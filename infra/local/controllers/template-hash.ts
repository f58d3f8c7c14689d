import { createHash } from 'node:crypto';

/** Returns a short hash of a template, as in the names of ReplicaSets. */
export function hashOf(template: string): string {
  return createHash('sha256').update(template).digest('hex').slice(0, 10);
}
