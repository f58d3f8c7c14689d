import type { SyncState } from '../../infra/actions/sync-state.ts';
import { syncStates } from '../../infra/actions/sync-states.ts';
import { type Dashboard, startDashboard } from '../../infra/dashboard/dashboard-server.ts';
import type { Operations } from '../../infra/dashboard/operations.ts';
import type { DashboardSnapshot, ResourceView } from '../../infra/dashboard/views.ts';

/** Builds a snapshot of `count` resources, of which one in ten is not in sync. */
export const manyResources =
  (count: number, failures: readonly string[] = []) =>
  (): DashboardSnapshot => ({
    at: Date.now(),
    durationMs: 5,
    requests: 11,
    failures,
    rollouts: [],
    resources: Array.from({ length: count }, (_, at) => resourceAt(at)),
  });

function resourceAt(at: number): ResourceView {
  const state = at % 10 === 0 ? (syncStates[(at / 10) % syncStates.length] ?? 'InSync') : 'InSync';
  const sync: SyncState = state === 'InSync' ? { state } : { state, message: `it is ${state}` };
  const name = `shop-${at}`;
  const child = (apiVersion: string, kind: string) => ({
    child: { apiVersion, kind, name },
    sync,
    differences: [],
    health: { state: 'Current' as const },
    changed: { manager: 'serverless-reconciler', time: '2026-11-22T10:00:00Z' },
  });
  return {
    id: `uid-${at}`,
    kind: 'Website',
    resource: 'websites.kubecon.my.domain',
    namespace: `team-${at % 7}`,
    name,
    generation: 1,
    observedGeneration: 1,
    suspended: false,
    deleting: false,
    first: false,
    sync,
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'Ready',
        message: 'all are ready',
        observedGeneration: 1,
        lastTransitionTime: '2026-11-22T10:00:00Z',
      },
    ],
    children: [child('apps/v1', 'Deployment'), child('v1', 'Service')],
  };
}

/** Starts the dashboard's server and page without any cluster. */
export function startSynthetic(read: () => DashboardSnapshot, port = 0): Promise<Dashboard> {
  const nothing = async () => ({ text: 'nothing', problems: [] });
  const operations: Operations = {
    about: { cluster: 'context many, https://127.0.0.1', readOnly: false },
    read: async () => read(),
    timeline: () => ({ source: 'processes', runs: [] }),
    watch: () => () => undefined,
    detail: async () => ({ history: [], createdChildren: [], failures: [] }),
    manifest: async () => ({ lines: [], isCut: false }),
    pods: async () => ({ pods: [], isCut: false, events: [], logs: [], failures: [] }),
    plan: async () => {
      throw new Error('there is no cluster to plan on');
    },
    apply: nothing,
    resync: nothing,
    suspend: nothing,
    rollOutFirst: nothing,
    pauseRollout: nothing,
    resumeRollout: nothing,
  };
  return startDashboard({ port, operations });
}
