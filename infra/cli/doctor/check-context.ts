import type { Kind } from '../../../shared/kinds/kind.ts';
import type { Interval } from '../interval.ts';
import type { Logs } from './installation.ts';
import type { Remedies } from './remedies.ts';

/** What the checks use besides what was read from the cluster. */
export interface CheckContext {
  /** Its name. */
  readonly reconciler: string;
  readonly now: Date;
  readonly interval: Interval;
  readonly logs: Logs;
  readonly remedies: Remedies;
  /** The kinds that are served. */
  readonly kinds: readonly Kind[];
  /** The namespaces to work in; undefined is all of them. */
  readonly namespaces: readonly string[] | undefined;
}
