import { isFields, type JsonFields, present, textAt, valueAt } from '../../../shared/json.ts';
import { deployment } from '../../../shared/kinds/child-types/apps.ts';
import { pod } from '../../../shared/kinds/child-types/core.ts';
import { current } from '../../../shared/kinds/readiness.ts';
import { isSameType, type KubeObject, type ResourceType } from '../../../shared/kubernetes.ts';
import { eventType } from '../../../shared/plan/status/kubernetes-events.ts';
import type { ContainerView, PodsView, PodView } from '../views.ts';
import type { BoundedReads } from './bounded-reads.ts';
import { eventViewOf, newestFirst } from './events.ts';

const maxPods = 50;
const maxReplicaSets = 20;
const maxEvents = 20;
/** Larger than `maxEvents`: lists are not sorted by time, so the newest must be found among more Events. */
const maxEventsOfOne = 200;
/** The maximum number of pods whose Events are read, and the maximum number of logs. */
const maxUnready = 3;

const replicaSet: ResourceType = {
  group: 'apps',
  version: 'v1',
  kind: 'ReplicaSet',
  plural: 'replicasets',
};

interface Looked {
  readonly type: ResourceType;
  readonly live: KubeObject;
}

/**
 * Reads what shows why a child is not ready: its pods; the Events about the child, its newest ReplicaSet and the worst
 * pods; and the last log lines of containers that are not ready.
 *
 * Flow: lists ReplicaSets and pods, then reads Events about at most five objects and at most three logs in parallel.
 * Guarantees: shows no pod of another owner with the same labels.
 */
export async function readPods(reads: BoundedReads, looked: Looked): Promise<PodsView> {
  const { live } = looked;
  const { namespace } = live.metadata;
  const { sets, pods, isCut, hasPods } = await ownPods(reads, looked);
  const unready = pods.filter(({ view }) => view.state !== 'Current').slice(0, maxUnready);
  const objects = [live, ...sets.slice(0, 1), ...unready.map((one) => one.live)];
  const uids = [...new Set(objects.map(({ metadata }) => metadata.uid))];
  const ran = unready
    .flatMap(({ view }) =>
      view.containers.flatMap(({ name, hasRun }) => (hasRun ? { pod: view.name, name } : [])),
    )
    .slice(0, maxUnready);
  const eventsOf = (uid: string) =>
    reads.list(
      eventType,
      { namespace: namespace ?? 'default', fields: { 'involvedObject.uid': uid } },
      maxEventsOfOne,
    );
  const [events, logs] = await Promise.all([
    Promise.all(uids.map(eventsOf)),
    Promise.all(ran.map((one) => reads.log({ namespace, name: one.pod, container: one.name }))),
  ]);
  const found = events.flatMap(({ items }) => items.map(eventViewOf));
  return {
    ...present({ pods: hasPods ? pods.map(({ view }) => view) : undefined }),
    isCut,
    events: newestFirst(found, ({ at }) => at).slice(0, maxEvents),
    logs: logs.flat(),
    failures: [...reads.failures],
  };
}

interface Pod {
  readonly live: KubeObject;
  readonly view: PodView;
}

interface OwnPods extends Pick<PodsView, 'isCut'> {
  /** True if the object selects pods by a label selector, as a Deployment does, or is a pod. */
  readonly hasPods: boolean;
  /** The ReplicaSets of a Deployment, newest first. */
  readonly sets: readonly KubeObject[];
  readonly pods: readonly Pod[];
}

async function ownPods(reads: BoundedReads, { type, live }: Looked): Promise<OwnPods> {
  const { namespace, uid } = live.metadata;
  const podOf = (one: KubeObject): Pod => ({ live: one, view: podView(one) });
  if (isSameType(type, pod)) return { sets: [], pods: [podOf(live)], isCut: false, hasPods: true };
  const selector = selectorOf(live);
  if (selector === undefined) return { sets: [], pods: [], isCut: false, hasPods: false };
  const [found, { items }] = await Promise.all([
    reads.list(pod, { namespace, selector }, maxPods),
    isSameType(type, deployment)
      ? reads.list(replicaSet, { namespace, selector }, maxReplicaSets)
      : { items: [] },
  ]);
  const sets = items.filter((one) => controllerOf(one) === uid);
  const owners = new Set([uid, ...sets.map(({ metadata }) => metadata.uid)]);
  const own = found.items.filter((one) => owners.has(controllerOf(one) ?? ''));
  return {
    sets: newestFirst(sets, ({ metadata }) => metadata.creationTimestamp),
    pods: own.map(podOf).toSorted(worstFirst),
    isCut: found.isCut,
    hasPods: true,
  };
}

const controllerOf = ({ metadata }: KubeObject): string | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;

const operators: Readonly<Record<string, (key: string, values: string) => string>> = {
  In: (key, values) => `${key} in (${values})`,
  NotIn: (key, values) => `${key} notin (${values})`,
  Exists: (key) => key,
  DoesNotExist: (key) => `!${key}`,
};

/** Undefined for an object without a label selector. */
function selectorOf(live: KubeObject): string | undefined {
  const labels = valueAt(live.spec, 'selector', 'matchLabels');
  const expressions = valueAt(live.spec, 'selector', 'matchExpressions');
  const terms = [
    ...Object.entries(isFields(labels) ? labels : {}).map(([key, value]) => `${key}=${value}`),
    ...(Array.isArray(expressions) ? expressions : []).flatMap((one: unknown) => {
      const values = valueAt(one, 'values');
      const term = operators[textAt(one, 'operator') ?? ''];
      const joined = Array.isArray(values) ? values.join(',') : '';
      return term?.(textAt(one, 'key') ?? '', joined) ?? [];
    }),
  ];
  return terms.length === 0 ? undefined : terms.join(',');
}

const severity = ['Failed', 'InProgress', 'Deleting', 'Current'] as const;

const worstFirst = (a: Pod, b: Pod): number =>
  severity.indexOf(a.view.state) - severity.indexOf(b.view.state) ||
  a.view.name.localeCompare(b.view.name);

function podView(live: KubeObject): PodView {
  const readiness = pod.readiness?.(live) ?? current;
  const containers = statusesOf(live);
  return {
    name: live.metadata.name,
    created: live.metadata.creationTimestamp,
    state: live.metadata.deletionTimestamp === undefined ? readiness.state : 'Deleting',
    ...present({ message: 'message' in readiness ? readiness.message : undefined }),
    ...present({ node: textAt(live.spec, 'nodeName') }),
    restarts: containers.reduce((sum, one) => sum + Number(one.restartCount ?? 0), 0),
    containers: containers.flatMap(containerView),
  };
}

const statusesOf = ({ status }: KubeObject): readonly JsonFields[] =>
  ['initContainerStatuses', 'containerStatuses'].flatMap((name) => {
    const found = valueAt(status, name);
    return Array.isArray(found) ? found.filter(isFields) : [];
  });

/** Returns nothing for a container that is ready or has completed. */
function containerView(status: JsonFields): readonly ContainerView[] {
  const isDone = valueAt(status, 'state', 'terminated', 'exitCode') === 0;
  if (status.ready === true || isDone) return [];
  const waiting = valueAt(status, 'state', 'waiting');
  const ended = valueAt(status, 'state', 'terminated');
  const last = valueAt(status, 'lastState', 'terminated');
  const now =
    waiting !== undefined
      ? ['waiting', textAt(waiting, 'reason'), textAt(waiting, 'message')]
      : [ended === undefined ? 'running, not ready' : endOf(ended)];
  const before = last === undefined ? [] : [`last time ${endOf(last)}`];
  return [
    {
      name: textAt(status, 'name') ?? '',
      text: [now.filter(Boolean).join(': '), ...before].join('; '),
      hasRun: waiting === undefined || last !== undefined,
    },
  ];
}

const endOf = (terminated: unknown): string => {
  const reason = textAt(terminated, 'reason') ?? 'unknown';
  return `ended with exit code ${valueAt(terminated, 'exitCode')} (${reason})`;
};
