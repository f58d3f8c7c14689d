import { messageOf } from '../../shared/cluster/cluster-errors.ts';
import { present } from '../../shared/json.ts';
import { type Kind, ownedType } from '../../shared/kinds/kind.ts';
import { type KubeObject, qualifiedName } from '../../shared/kubernetes.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import type { Run } from '../../shared/run/run.ts';
import { type DashboardTarget, during } from './dashboard-target.ts';
import type { DetailView, EventView, ResourceView, Timeline } from './views.ts';

/** Maximum number of Events shown. */
const most = 50;

/** Reads the Events of a resource and the creation times of it and its children. Failed reads become `failures`. */
export async function readDetail(run: Run, kind: Kind, shown: ResourceView): Promise<DetailView> {
  const failures: string[] = [];
  const orElse = async <T>(answer: Promise<T>, otherwise: T): Promise<T> =>
    answer.catch((error: unknown) => {
      failures.push(messageOf(error));
      return otherwise;
    });
  const { namespace, name, id, children } = shown;
  const [own, events, ages] = await Promise.all([
    orElse(run.cluster.getMetadata(kind, { namespace, name }), undefined),
    orElse(
      eventsOf(run, { namespace: namespace || 'default', fields: { 'involvedObject.uid': id } }),
      [],
    ),
    Promise.all(
      children.map(async ({ child, health }) => {
        const type = health.state === 'Absent' ? undefined : ownedType(kind, child);
        if (type === undefined) return [];
        const key = { namespace: child.namespace ?? namespace, name: child.name };
        const meta = await orElse(run.cluster.getMetadata(type, key), undefined);
        return meta === undefined ? [] : [{ ...child, created: meta.creationTimestamp }];
      }),
    ),
  ]);
  return {
    ...present({ created: own?.creationTimestamp }),
    events: events.toSorted((a, b) => b.at.localeCompare(a.at)).slice(0, most),
    createdChildren: ages.flat(),
    failures: [...new Set(failures)],
  };
}

interface KubernetesEvent extends EventView {
  readonly of: string;
}

async function eventsOf(
  { cluster }: Run,
  selection: Parameters<Run['cluster']['list']>[1],
): Promise<readonly KubernetesEvent[]> {
  const found: KubernetesEvent[] = [];
  await cluster.list(eventType, selection, (live) => found.push(eventOf(live)));
  return found;
}

function eventOf(live: KubeObject): KubernetesEvent {
  const { lastTimestamp, type, reason, message, involvedObject } = live as KubeObject & {
    readonly involvedObject?: { kind?: string; namespace?: string; name?: string };
  } & Readonly<Record<string, unknown>>;
  const { kind = '', namespace, name = '' } = involvedObject ?? {};
  return {
    at: String(lastTimestamp ?? live.metadata.creationTimestamp),
    type: String(type),
    reason: String(reason),
    message: String(message),
    of: `${kind} ${qualifiedName(namespace, name)}`,
  };
}

/** Reads the Events that runs have posted; a run that changed nothing posted none. Never throws. */
export const readEvents = (target: DashboardTarget): Promise<Timeline> =>
  readNewest(target).then(
    (runs) => ({ source: 'events', runs }),
    (error: unknown) => ({ source: 'events', runs: [], failure: messageOf(error) }),
  );

async function readNewest(target: DashboardTarget): Promise<Timeline['runs']> {
  const { namespaces = [undefined], identity } = target.config;
  const fields = { reportingComponent: identity.name };
  const found = await during(target, (run) =>
    Promise.all(namespaces.map((namespace) => eventsOf(run, { namespace, fields }))),
  );
  const newest = found
    .flat()
    .toSorted((a, b) => b.at.localeCompare(a.at))
    .slice(0, most);
  return newest.map(({ at, of, reason, message }) => ({
    at: Date.parse(at),
    trigger: 'Event' as const,
    changes: [{ of, text: `${reason}: ${message}` }],
  }));
}
