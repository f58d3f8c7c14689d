import type { ObjectRef } from '../../shared/kubernetes.ts';
import type { Condition } from '../../shared/plan/observed/conditions.ts';
import type { Mark } from '../../shared/plan/observed/rollout-mark.ts';
import type { Preview } from '../../shared/preview/preview.ts';
import type { RolloutProgress } from '../actions/rollout-progress.ts';
import type { ChildSync, SyncState } from '../actions/sync-state.ts';

/** Types of the JSON that the server sends to the page. Values of Secrets are masked everywhere. */

export interface ResourceKey {
  /** `websites.kubecon.my.domain` */
  readonly resource: string;
  /** Empty for a cluster-scoped resource. */
  readonly namespace: string;
  readonly name: string;
}

export interface ResourceView extends ResourceKey {
  readonly id: string;
  readonly kind: string;
  readonly generation: number;
  readonly observedGeneration?: number;
  readonly suspended: boolean;
  readonly deleting: boolean;
  /** The phase of the resource in a rollout; the last phase is `RolledOut`. */
  readonly rollout?: Mark;
  /** True if rollouts change this resource first. */
  readonly first: boolean;
  readonly sync: SyncState;
  readonly conditions: readonly Condition[];
  readonly children: readonly ChildSync[];
}

export interface RolloutView extends Omit<RolloutProgress, 'members'> {
  readonly kind: string;
  /** `websites.kubecon.my.domain` */
  readonly resource: string;
}

/** A rollout as the page showed it. */
export type ShownRollout = Pick<RolloutView, 'resource' | 'failed'> & { readonly state: string };

export interface DashboardSnapshot {
  /** When the read began, in milliseconds since the epoch. */
  readonly at: number;
  readonly durationMs: number;
  readonly requests: number;
  readonly resources: readonly ResourceView[];
  /** Rollouts in progress, including paused and halted rollouts. */
  readonly rollouts: readonly RolloutView[];
  readonly failures: readonly string[];
}

export interface Delta extends Omit<DashboardSnapshot, 'resources'> {
  readonly changed: readonly ResourceView[];
  readonly removed: readonly string[];
}

export interface RunChange {
  /** `Website default/shop` or `websites.kubecon.my.domain default/shop` */
  readonly of: string;
  readonly text: string;
}

/** Shows a run of the dashboard or of a local function. For a function that runs elsewhere, shows an Event. */
export interface RunView {
  readonly at: number;
  readonly trigger: 'resync' | 'audit' | 'request' | 'dashboard' | 'Event';
  readonly durationMs?: number;
  readonly requests?: number;
  /** Number of writes to children and statuses. */
  readonly writes?: number;
  readonly resources?: { readonly total: number; readonly reconciled: number };
  readonly changes: readonly RunChange[];
  /** Number of blocked children, which are not failures of the run. */
  readonly blocked?: number;
  readonly error?: string;
}

export interface RunTimeline {
  /** The source of `runs`: `processes`, which report all runs, or `events`, which only some runs post. */
  readonly source: 'processes' | 'events';
  /** Newest first. */
  readonly runs: readonly RunView[];
  readonly nextResync?: number;
  /** The error if Events could not be read. */
  readonly failure?: string;
}

/** A message from `npm start`. */
export interface RunMessage {
  readonly runs: readonly RunView[];
  readonly nextResync?: number;
}

export interface About {
  /** The context and address of the cluster. */
  readonly cluster: string;
  readonly readOnly: boolean;
}

export interface EventView {
  readonly at: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  /** `Pod default/shop-5d9f` */
  readonly of: string;
}

export interface HistoryItem {
  readonly at: string;
  readonly source: 'Event' | 'condition' | 'rollout' | 'change' | 'run';
  /** The changed object, such as `Deployment shop`; only for changes. All other items are about the resource. */
  readonly of?: string;
  readonly title: string;
  readonly text: string;
  readonly isBad: boolean;
}

/** Read for the selected resource only. */
export interface DetailView {
  readonly created?: string;
  /** Newest first. */
  readonly history: readonly HistoryItem[];
  readonly createdChildren: readonly (ObjectRef & { readonly created: string })[];
  readonly failures: readonly string[];
}

/** The resource or child whose live object is read. */
export interface Looked {
  readonly resource: ResourceView;
  readonly child: ObjectRef | undefined;
}

export interface ManifestLine {
  readonly text: string;
  /** True for a field that the reconciler manages. */
  readonly ours: boolean;
}

/** A live object as YAML, without managedFields. Values of a Secret are masked. */
export interface ManifestView {
  readonly lines: readonly ManifestLine[];
  /** True if further lines are omitted. */
  readonly isCut: boolean;
}

export interface ContainerView {
  readonly name: string;
  readonly text: string;
  readonly hasRun: boolean;
}

export interface PodView {
  readonly name: string;
  readonly created: string;
  readonly state: 'Failed' | 'InProgress' | 'Deleting' | 'Current';
  readonly message?: string;
  readonly node?: string;
  readonly restarts: number;
  /** Containers that are not ready. */
  readonly containers: readonly ContainerView[];
}

export interface LogView {
  readonly pod: string;
  readonly container: string;
  readonly lines: readonly string[];
}

export interface PodsView {
  /** The worst pod first. Absent for an object that is not a pod and has no label selector, such as a Service. */
  readonly pods?: readonly PodView[];
  /** True if `pods` is incomplete. */
  readonly isCut: boolean;
  /** Events about the child, its newest ReplicaSet and the worst pods, newest first. */
  readonly events: readonly EventView[];
  readonly logs: readonly LogView[];
  /** If a permission is missing, the error names it. */
  readonly failures: readonly string[];
}

/** A plan that can be applied by its id until one of its objects changes. */
export interface PlanView {
  readonly id: string;
  /** `restarts pods: 2 Deployments` */
  readonly impact: readonly string[];
  readonly preview: Preview;
}

export interface ActionResult {
  readonly text: string;
  readonly problems: readonly string[];
}

/** The messages of the stream, by the name of the server-sent event. */
export interface Messages {
  readonly about: About;
  readonly snapshot: DashboardSnapshot;
  readonly delta: Delta;
  readonly timeline: RunTimeline;
  /** Sent if the cluster could not be read. The page keeps the last snapshot. */
  readonly unread: { readonly message: string };
}
