import type { ReconcileRequest } from '../../shared/reconcile-request.ts';
import type {
  About,
  ActionResult,
  DashboardSnapshot,
  DetailView,
  Looked,
  ManifestView,
  PlanView,
  PodsView,
  ResourceKey,
  ResourceView,
  RunTimeline,
  ShownRollout,
} from './views.ts';

/** The dashboard's operations on a cluster, with the permissions of the user who started it. */
export interface Operations {
  readonly about: About;
  readonly read: () => Promise<DashboardSnapshot>;
  readonly timeline: () => Promise<RunTimeline> | RunTimeline;
  /** Calls `onChange` when the cluster may have changed, until the returned function is called. */
  readonly watch: (onChange: () => void) => () => void;
  readonly detail: (resource: ResourceView) => Promise<DetailView>;
  readonly manifest: (of: Looked) => Promise<ManifestView>;
  readonly pods: (of: Looked) => Promise<PodsView>;
  readonly plan: (request: ReconcileRequest) => Promise<PlanView>;
  /** Throws a RefusedActionError if the plan is unknown or stale. */
  readonly apply: (id: string) => Promise<ActionResult>;
  readonly resync: (request: ReconcileRequest) => Promise<ActionResult>;
  readonly suspend: (resource: ResourceKey, suspended: boolean) => Promise<ActionResult>;
  readonly pauseRollout: (kind: Pick<ShownRollout, 'resource'>) => Promise<ActionResult>;
  /** Throws a RefusedActionError if the rollout's state has changed since `seen`, or if more resources have failed. */
  readonly resumeRollout: (seen: ShownRollout) => Promise<ActionResult>;
  readonly rollOutFirst: (resource: ResourceKey) => Promise<ActionResult>;
}
