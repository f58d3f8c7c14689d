import type { Scope } from '../../shared/scope.ts';
import type {
  About,
  DetailView,
  Done,
  PlanView,
  ResourceKey,
  ResourceView,
  SeenRollout,
  Snapshot,
  Timeline,
} from './views.ts';

/** The operations of the dashboard on a cluster, with the rights of whoever started it. */
export interface Operations {
  readonly about: About;
  readonly read: () => Promise<Snapshot>;
  readonly timeline: () => Promise<Timeline> | Timeline;
  /** Calls back when something may have changed; returns what ends it. */
  readonly watch: (onChange: () => void) => () => void;
  readonly detail: (resource: ResourceView) => Promise<DetailView>;
  readonly plan: (scope: Scope) => Promise<PlanView>;
  /** Throws a RefusedError if the plan is unknown or stale. */
  readonly apply: (id: string) => Promise<Done>;
  readonly resync: (scope: Scope) => Promise<Done>;
  readonly suspend: (resource: ResourceKey, suspended: boolean) => Promise<Done>;
  readonly pauseRollout: (kind: Pick<SeenRollout, 'resource'>) => Promise<Done>;
  /** Throws a RefusedError if it is in another state than was shown, or more has failed. */
  readonly resumeRollout: (seen: SeenRollout) => Promise<Done>;
  readonly rollOutFirst: (resource: ResourceKey) => Promise<Done>;
}
