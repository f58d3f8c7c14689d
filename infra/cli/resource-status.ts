import { readyOf } from '../../shared/plan/observed/conditions.ts';
import type { ChildSync, SyncState } from '../../shared/plan/status/sync-state.ts';
import type { Inspected } from '../../shared/preview/inspect.ts';

/** The state of one resource, from its own status, its children and a plan. */
export interface ResourceStatusView {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly generation: number;
  readonly observedGeneration?: number;
  readonly sync: SyncState;
  /** Of the condition Ready; Unknown before the first run. */
  readonly ready: string;
  readonly reason: string;
  readonly message: string;
  /** Why it is left alone. */
  readonly state?: 'being deleted' | 'suspended';
  /** When Ready last changed. */
  readonly changed?: string;
  readonly children: readonly ChildStatus[];
}

export interface ChildStatus {
  readonly kind: string;
  readonly name: string;
  /** Only of a child of a cluster-scoped resource. */
  readonly namespace?: string;
  readonly sync: SyncState;
  /** How the object itself is; Absent where there is none of ours. */
  readonly state: 'Current' | 'InProgress' | 'Failed' | 'Deleting' | 'Unwanted' | 'Absent';
  readonly message?: string;
  /** The latest change of its fields, its status aside; absent where that has no time. */
  readonly changed?: { readonly manager: string; readonly time: string };
}

export function statusViewOf({ kind, resource, sync, children }: Inspected): ResourceStatusView {
  const { name, namespace, generation, status } = resource;
  const ready = readyOf(resource);
  const state = resource.deleting ? 'being deleted' : resource.suspended ? 'suspended' : undefined;
  const { observedGeneration } = status;
  return {
    kind: kind.kind,
    namespace,
    name,
    generation,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    sync,
    ready: ready?.status ?? 'Unknown',
    reason: ready?.reason ?? 'NotReconciled',
    message: ready?.message ?? 'no run has reconciled it yet',
    ...(state === undefined ? {} : { state }),
    ...(ready === undefined ? {} : { changed: ready.lastTransitionTime }),
    children: children.map(childStatusOf),
  };
}

function childStatusOf({ child, sync, health, changed }: ChildSync): ChildStatus {
  const { kind, name, namespace } = child;
  const isUnwanted = sync.state === 'Unwanted';
  return {
    ...{ kind, name },
    ...(namespace === undefined ? {} : { namespace }),
    sync,
    state: isUnwanted ? 'Unwanted' : health.state,
    ...(health.message === undefined ? {} : { message: health.message }),
    ...(changed === undefined ? {} : { changed }),
  };
}
