import type { Kind } from '../../../shared/kinds/define-kind.ts';
import type { Interval } from './interval.ts';
import type { Logs } from './logs.ts';
import type { Remedies } from './remedies.ts';

/** What the checks are made with, beside what was read from the cluster. */
export interface Circumstances {
  readonly now: Date;
  readonly interval: Interval;
  readonly logs: Logs;
  readonly remedies: Remedies;
  /** Whose resources can be made. */
  readonly kinds: readonly Kind[];
  /** Where somebody works; undefined is everywhere. */
  readonly namespaces: readonly string[] | undefined;
}
