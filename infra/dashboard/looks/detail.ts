import { messageOf } from '../../../shared/cluster/cluster-errors.ts';
import { present } from '../../../shared/json.ts';
import { type Kind, ownedType } from '../../../shared/kinds/kind.ts';
import { titleOf } from '../../../shared/kubernetes.ts';
import { eventType } from '../../../shared/plan/status/kubernetes-events.ts';
import type { Run } from '../../../shared/run/run.ts';
import { type DashboardTarget, during } from '../dashboard-target.ts';
import { healthOf } from '../health-words.ts';
import type { DetailView, EventView, ResourceView, RunTimeline } from '../views.ts';
import { eventViewOf, newestFirst } from './events.ts';
import { historyOf } from './resource-history.ts';

const maxEvents = 50;

/** Reads no more of the resource and its children than their metadata. Failed reads become `failures`. */
export async function readDetail(run: Run, kind: Kind, shown: ResourceView): Promise<DetailView> {
  const failures: string[] = [];
  const orElse = async <T>(response: Promise<T>, otherwise: T): Promise<T> =>
    response.catch((error: unknown) => {
      failures.push(messageOf(error));
      return otherwise;
    });
  const { namespace, name, id, conditions, rollout } = shown;
  const [meta, events, children] = await Promise.all([
    orElse(run.cluster.getMetadata(kind, { namespace, name }), undefined),
    orElse(
      eventsOf(run, { namespace: namespace || 'default', fields: { 'involvedObject.uid': id } }),
      [],
    ),
    Promise.all(
      shown.children.map(async (one) => {
        const { child, health } = one;
        const type = health.state === 'Absent' ? undefined : ownedType(kind, child);
        if (type === undefined) return [];
        const key = { namespace: child.namespace ?? namespace, name: child.name };
        const own = await orElse(run.cluster.getMetadata(type, key), undefined);
        if (own === undefined) return [];
        const text = health.message ?? healthOf(one);
        return [{ child, title: titleOf(child), meta: own, health: text }];
      }),
    ),
  ]);
  const title = titleOf({ kind: kind.kind, name });
  const found = {
    title,
    meta,
    conditions,
    rollout,
    events: events.slice(0, maxEvents),
    children: children.flat(),
  };
  return {
    ...present({ created: meta?.creationTimestamp }),
    history: historyOf(found),
    createdChildren: found.children.map((one) => ({
      ...one.child,
      created: one.meta.creationTimestamp,
    })),
    failures: [...new Set(failures)],
  };
}

async function eventsOf(
  { cluster }: Run,
  selection: Parameters<Run['cluster']['list']>[1],
): Promise<readonly EventView[]> {
  const found: EventView[] = [];
  await cluster.list(eventType, selection, (live) => found.push(eventViewOf(live)));
  return newestFirst(found, ({ at }) => at);
}

/** Reads the newest Events of runs, which the page shows if no process reports the runs. Never throws. */
export const readEvents = (target: DashboardTarget): Promise<RunTimeline> =>
  readNewest(target).then(
    (runs) => ({ source: 'events', runs }),
    (error: unknown) => ({ source: 'events', runs: [], failure: messageOf(error) }),
  );

async function readNewest(target: DashboardTarget): Promise<RunTimeline['runs']> {
  const { namespaces = [undefined], identity } = target.config;
  const fields = { reportingComponent: identity.name };
  const found = await during(target, (run) =>
    Promise.all(namespaces.map((namespace) => eventsOf(run, { namespace, fields }))),
  );
  const newest = newestFirst(found.flat(), ({ at }) => at).slice(0, maxEvents);
  return newest.map(({ at, of, reason, message }) => ({
    at: Date.parse(at),
    trigger: 'Event' as const,
    changes: [{ of, text: `${reason}: ${message}` }],
  }));
}
