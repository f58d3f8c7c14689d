import { readyOf } from './conditions.ts';
import type { Finding } from './finding.ts';
import type { ObservedResource } from './observed.ts';

/** No run has reported on the resource yet. */
export const isNew = (resource: ObservedResource): boolean => readyOf(resource) === undefined;

/**
 * Whether it is enough to report this once the resource is Ready: its children are written, and are only
 * waited for. Nothing else may wait, as it needs an author, a tick, or to be known to other runs.
 */
export const mayWait = ({ summary, acted }: Finding): boolean =>
  summary.state === 'Reconciling' && summary.reason === 'Progressing' && acted;
