import { randomUUID } from 'node:crypto';
import { messageOf } from '../../shared/cluster/errors.ts';
import { watchChanges } from '../../shared/cluster/watch.ts';
import { namesOf } from '../../shared/identity.ts';
import { childTypesOf, type Kind, ownedType } from '../../shared/kinds/kind.ts';
import { label, suspendAnnotation } from '../../shared/kinds/names.ts';
import { groupResource, type KubeObject, qualifiedName } from '../../shared/kubernetes.ts';
import { apply } from '../../shared/reconcile/apply.ts';
import { eventType } from '../../shared/reconcile/commit.ts';
import { type Inspected, inspect } from '../../shared/reconcile/inspect.ts';
import { type Preview, previewRun } from '../../shared/reconcile/preview.ts';
import type { Report } from '../../shared/reconcile/report.ts';
import { resync } from '../../shared/reconcile/resync.ts';
import type { Run } from '../../shared/reconcile/run.ts';
import type { Scope } from '../../shared/scope.ts';
import { type Operations, RefusedError } from '../dashboard/operations.ts';
import type {
  DetailView,
  Done,
  EventView,
  PlanView,
  ResourceKey,
  ResourceView,
  RunView,
  Snapshot,
  Timeline,
} from '../dashboard/views.ts';
import type { Operator } from './operator.ts';
import { previewOptions } from './plan.ts';
import type { StoredPreview } from './plan-file.ts';
import { problemsIn, reportLines } from './report.ts';
import { describeStaleness } from './stale-plan.ts';

interface Given {
  readonly readOnly: boolean;
  /** Of the processes that run the functions; undefined where they run elsewhere. */
  readonly reported: (() => Timeline) | undefined;
}

/** What the dashboard does, with the code of the commands `status`, `plan`, `apply` and `resync`. */
export function openOperations(operator: Operator, { readOnly, reported }: Given): Operations {
  const { config, context, credentials } = operator;
  const where = [context === undefined ? [] : `context ${context.name}`, credentials.server].flat();
  const here: RunView[] = [];
  const performed = (report: Report, changes: RunView['changes']): Done => {
    here.unshift(runOf(report, changes));
    here.splice(most);
    return { text: reportLines(report).join('; '), problems: problemsIn(report) };
  };
  const plans = openPlans(operator);
  return {
    about: { cluster: where.join(', '), readOnly },
    read: () => readSnapshot(operator),
    async timeline() {
      const known = reported?.() ?? (await readEvents(operator));
      const runs = [...here, ...known.runs].toSorted((a, b) => b.at - a.at);
      return { ...known, runs };
    },
    watch: (onChange) => watchAll(operator, onChange),
    detail: (resource) =>
      during(operator, (run) => readDetail(run, kindOf(config.kinds, resource), resource)),
    plan: plans.plan,
    async apply(id) {
      const { report, changes } = await plans.apply(id);
      return performed(report, changes);
    },
    async resync(scope) {
      const { settleSeconds, dryRun } = config;
      const options = { ...previewOptions(operator), settleSeconds, dryRun };
      return performed(await during(operator, (run) => resync(run, [scope], options)), []);
    },
    suspend: (resource, suspended) =>
      during(operator, (run) =>
        setSuspended(run, kindOf(config.kinds, resource), { resource, suspended }),
      ),
  };
}

/** How many runs, and plans, are kept. */
const most = 50;

function kindOf(kinds: readonly Kind[], { resource }: ResourceKey): Kind {
  const kind = kinds.find((one) => groupResource(one) === resource);
  if (kind === undefined) throw new RefusedError(`${resource} is not in the configuration`);
  return kind;
}

/** A process that goes on must release what each run holds. */
async function during<T>({ begin }: Operator, act: (run: Run) => Promise<T>): Promise<T> {
  const run = await begin();
  try {
    return await act(run);
  } finally {
    run.memoryBudget.close();
  }
}

const requestsOf = ({ cluster }: Run): number =>
  Object.values(cluster.traffic).reduce((sum, { requests }) => sum + requests, 0);

function readSnapshot(operator: Operator): Promise<Snapshot> {
  const at = Date.now();
  const { kinds, namespaces, concurrency } = operator.config;
  const area = { kinds, namespaces, name: undefined };
  return during(operator, async (run) => {
    const { resources, failures } = await inspect(run, area, { concurrency });
    return {
      ...{ at, failures, requests: requestsOf(run), durationMs: Date.now() - at },
      resources: resources.map(viewOf),
    };
  });
}

function viewOf({ kind, resource, sync, children }: Inspected): ResourceView {
  const { name, namespace, uid, generation, suspended, deleting, status } = resource;
  const { observedGeneration, conditions = [] } = status;
  return {
    ...{ id: uid, kind: kind.kind, resource: groupResource(kind), namespace, name, generation },
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    ...{ suspended, deleting, sync, conditions, children },
  };
}

/** One watch for each type; one that is refused is left out, and its changes are seen at the next read. */
function watchAll({ config, credentials }: Operator, onChange: () => void): () => void {
  const end = new AbortController();
  const { kinds, namespaces = [undefined], identity } = config;
  const labels = { [label.managedBy]: namesOf(identity) };
  const watched = namespaces.flatMap((namespace) => [
    ...kinds.map((type) => ({ type, selection: { namespace } })),
    ...childTypesOf(kinds).map((type) => ({ type, selection: { namespace, labels } })),
  ]);
  const { signal } = end;
  for (const one of watched)
    void watchChanges(credentials, one, { onChange, onRefused: () => undefined, signal });
  return () => end.abort();
}

async function readDetail(run: Run, kind: Kind, shown: ResourceView): Promise<DetailView> {
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
    ...(own === undefined ? {} : { created: own.creationTimestamp }),
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
    ...{ type: String(type), reason: String(reason), message: String(message) },
    of: `${kind} ${qualifiedName(namespace, name)}`,
  };
}

/** What runs elsewhere have left: runs that changed nothing leave no Event. */
async function readEvents(operator: Operator): Promise<Timeline> {
  const { namespaces = [undefined], identity } = operator.config;
  const fields = { reportingComponent: identity.name };
  const found = await during(operator, (run) =>
    Promise.all(namespaces.map((namespace) => eventsOf(run, { namespace, fields }))),
  );
  const newest = found
    .flat()
    .toSorted((a, b) => b.at.localeCompare(a.at))
    .slice(0, most);
  return {
    source: 'events',
    runs: newest.map(({ at, of, reason, message }) => ({
      ...{ at: Date.parse(at), trigger: 'Event' as const },
      changes: [{ of, text: `${reason}: ${message}` }],
    })),
  };
}

function runOf(report: Report, changes: RunView['changes']): RunView {
  const { outcomes, statusWrites, durationMs, requests, resources } = report;
  const [error] = problemsIn(report);
  return {
    ...{ at: Date.now() - durationMs, trigger: 'dashboard', durationMs, resources, changes },
    requests: Object.values(requests).reduce((sum, one) => sum + one.requests, 0),
    writes: outcomes.created + outcomes.updated + outcomes.deleted + statusWrites,
    ...(error === undefined ? {} : { error }),
  };
}

/** Plans that were shown, and may be applied. */
function openPlans(operator: Operator) {
  const shown = new Map<string, { readonly scope: Scope } & PlanView>();
  const preview = (run: Run, scope: Scope) => previewRun(run, scope, previewOptions(operator));
  return {
    async plan(scope: Scope): Promise<PlanView> {
      const seen = await during(operator, (run) => preview(run, scope));
      const view = { id: randomUUID(), preview: seen.preview };
      shown.set(view.id, { scope, ...view });
      for (const old of [...shown.keys()].slice(0, -most)) shown.delete(old);
      return view;
    },
    async apply(id: string) {
      const known = shown.get(id);
      if (known === undefined) throw new RefusedError('this plan is no longer known: plan again');
      shown.delete(id);
      const { config } = operator;
      if (config.dryRun) throw new RefusedError('DRY_RUN is true: unset it to apply');
      const report = await during(operator, async (run) => {
        const seen = await preview(run, known.scope);
        const moved = describeStaleness(storedForm(known.preview), seen.preview);
        if (moved.length > 0)
          throw new RefusedError(`the plan is stale, nothing was written: ${moved.join('; ')}`);
        return apply(run, seen, { concurrency: config.concurrency, tries: 1 });
      });
      return { report, changes: changesIn(known) };
    },
  };
}

/** As it would be read from a file. */
const storedForm = (preview: Preview): StoredPreview => JSON.parse(JSON.stringify(preview));

const changesIn = ({ preview }: PlanView): RunView['changes'] =>
  preview.resources.flatMap(({ kind, namespace, name, actions }) =>
    actions.map(({ verb, child }) => ({
      of: `${kind} ${qualifiedName(namespace, name)}`,
      text: `${verb} ${child.kind} ${child.name}`,
    })),
  );

const manager = 'reconciler-dashboard';

/** Sets or removes the annotation, locked to the version that was read. */
async function setSuspended(
  { cluster }: Run,
  kind: Kind,
  { resource, suspended }: { readonly resource: ResourceKey; readonly suspended: boolean },
): Promise<Done> {
  const { namespace, name } = resource;
  const title = `${kind.kind} ${qualifiedName(namespace, name)}`;
  const live = await cluster.getMetadata(kind, { namespace, name });
  if (live === undefined) throw new RefusedError(`${title} is gone`);
  const present = live.annotations?.[suspendAnnotation];
  const path = `/metadata/annotations/${suspendAnnotation.replaceAll('/', '~1')}`;
  const change = suspended
    ? live.annotations === undefined
      ? { op: 'add', path: '/metadata/annotations', value: { [suspendAnnotation]: 'true' } }
      : { op: 'add', path, value: 'true' }
    : { op: 'remove', path };
  if (suspended ? present !== 'true' : present !== undefined)
    await cluster.patch(
      kind,
      { namespace, name },
      {
        ...{ resourceVersion: live.resourceVersion, operations: [change], manager },
      },
    );
  return { text: `${title} is ${suspended ? 'suspended' : 'resumed'}`, problems: [] };
}
