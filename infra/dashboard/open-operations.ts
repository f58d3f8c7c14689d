import { requestsIn } from '../../shared/cluster/cluster.ts';
import { watchChanges } from '../../shared/cluster/watch.ts';
import { namesOf } from '../../shared/identity.ts';
import { childTypesOf, type Kind } from '../../shared/kinds/kind.ts';
import { label, suspendAnnotation } from '../../shared/kinds/names.ts';
import { groupResource, qualifiedName } from '../../shared/kubernetes.ts';
import { resyncOrDryRun } from '../../shared/reconcile/dry-run.ts';
import { type Inspected, inspect } from '../../shared/reconcile/inspect.ts';
import type { Report } from '../../shared/reconcile/report.ts';
import type { Run } from '../../shared/reconcile/run.ts';
import { problemsIn, reportLines } from '../actions/report.ts';
import { rolloutsIn } from '../actions/rollout-state.ts';
import { annotate } from '../cli/annotate.ts';
import { during, type Operator } from '../cli/base/session.ts';
import { previewOptions } from '../cli/commands/plan.ts';
import { readDetail, readEvents } from './detail.ts';
import { type Operations, RefusedError } from './operations.ts';
import { openPlans } from './plans.ts';
import { manager, pauseRollout, resumeRollout, rollOutFirst } from './rollouts.ts';
import type { Done, ResourceKey, ResourceView, RunView, Snapshot, Timeline } from './views.ts';

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
      return performed(await during(operator, (run) => resyncOrDryRun(run, [scope], options)), []);
    },
    suspend: (resource, suspended) =>
      during(operator, (run) =>
        setSuspended(run, kindOf(config.kinds, resource), { resource, suspended }),
      ),
    pauseRollout: (kind) =>
      during(operator, (run) => pauseRollout(run, kindOf(config.kinds, kind), operator)),
    resumeRollout: (seen) =>
      during(operator, (run) => resumeRollout(run, kindOf(config.kinds, seen), { config, seen })),
    rollOutFirst: (resource) =>
      during(operator, (run) => rollOutFirst(run, kindOf(config.kinds, resource), resource)),
  };
}

/** How many runs are kept. */
const most = 50;

function kindOf(kinds: readonly Kind[], { resource }: Pick<ResourceKey, 'resource'>): Kind {
  const kind = kinds.find((one) => groupResource(one) === resource);
  if (kind === undefined) throw new RefusedError(`${resource} is not in the configuration`);
  return kind;
}

function readSnapshot(operator: Operator): Promise<Snapshot> {
  const at = Date.now();
  const { kinds, namespaces, concurrency } = operator.config;
  const area = { kinds, namespaces, name: undefined };
  return during(operator, async (run) => {
    const { resources, failures } = await inspect(run, area, { concurrency });
    const rollouts = await rolloutsIn(run, resources);
    return {
      ...{ at, failures, requests: requestsIn(run.cluster.traffic), durationMs: Date.now() - at },
      resources: resources.map(viewOf),
      rollouts: rollouts.map(({ members: _, ...counts }) => counts),
    };
  });
}

function viewOf({ kind, resource, sync, children }: Inspected): ResourceView {
  const { name, namespace, uid, generation, suspended, deleting, first, rollout, status } =
    resource;
  const { observedGeneration, conditions = [] } = status;
  return {
    ...{ id: uid, kind: kind.kind, resource: groupResource(kind), namespace, name, generation },
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    ...(rollout === undefined ? {} : { rollout: rollout.reason }),
    ...{ suspended, deleting, first: first === true, sync, conditions, children },
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

function runOf(report: Report, changes: RunView['changes']): RunView {
  const { outcomes, statusWrites, durationMs, requests, resources } = report;
  const [error] = problemsIn(report);
  return {
    ...{ at: Date.now() - durationMs, trigger: 'dashboard', durationMs, resources, changes },
    requests: requestsIn(requests),
    writes: outcomes.created + outcomes.updated + outcomes.deleted + statusWrites,
    ...(error === undefined ? {} : { error }),
  };
}

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
  await annotate(
    cluster,
    { type: kind, namespace, name, live },
    { name: suspendAnnotation, value: suspended ? 'true' : undefined, manager },
  );
  return { text: `${title} is ${suspended ? 'suspended' : 'resumed'}`, problems: [] };
}
