import { requestsIn } from '../../shared/cluster/cluster.ts';
import { present } from '../../shared/json.ts';
import { childTypesOf, type Kind } from '../../shared/kinds/kind.ts';
import { label } from '../../shared/kinds/names.ts';
import { groupResource } from '../../shared/kubernetes.ts';
import { resyncOrDryRun } from '../../shared/preview/dry-run.ts';
import type { Report } from '../../shared/resync/report.ts';
import { type Inspected, inspect } from '../actions/inspect.ts';
import { previewOptions } from '../actions/preview-options.ts';
import { RefusedActionError } from '../actions/refused-action-error.ts';
import { problemsIn, reportLines } from '../actions/report-text.ts';
import { rolloutsIn } from '../actions/rollout-state.ts';
import { type DashboardTarget, during } from './dashboard-target.ts';
import { readEvents } from './looks/detail.ts';
import { openLooks } from './looks/look.ts';
import type { Operations } from './operations.ts';
import { openPlans } from './plans.ts';
import type {
  ActionResult,
  DashboardSnapshot,
  ResourceKey,
  ResourceView,
  RunTimeline,
  RunView,
} from './views.ts';
import { watchChanges } from './watch.ts';
import { pauseRollout, resumeRollout, rollOutFirst, setSuspended } from './writes.ts';

interface OperationsOptions {
  readonly readOnly: boolean;
  /** The runs that `npm start` reports; undefined if the functions run elsewhere. */
  readonly reported: (() => RunTimeline) | undefined;
}

/** Uses the same code as the commands `status`, `plan`, `apply` and others. */
export function openOperations(
  target: DashboardTarget,
  { readOnly, reported }: OperationsOptions,
): Operations {
  const { config, context, credentials } = target;
  const where = [context === undefined ? [] : `context ${context.name}`, credentials.server].flat();
  const here: RunView[] = [];
  const performed = (report: Report, changes: RunView['changes']): ActionResult => {
    here.unshift(runOf(report, changes));
    here.splice(maxRuns);
    return { text: reportLines(report).join('; '), problems: problemsIn(report) };
  };
  const plans = openPlans(target);
  return {
    about: { cluster: where.join(', '), readOnly },
    read: () => readSnapshot(target),
    async timeline() {
      const known = reported?.() ?? (await readEvents(target));
      const runs = [...here, ...known.runs].toSorted((a, b) => b.at - a.at);
      return { ...known, runs };
    },
    watch: watchAll(target),
    ...openLooks(target, (resource) => kindOf(config.kinds, resource)),
    plan: plans.plan,
    async apply(id) {
      const { report, changes } = await plans.apply(id);
      return performed(report, changes);
    },
    async resync(request) {
      const { settleSeconds, dryRun } = config;
      const options = { ...previewOptions(target.config), settleSeconds, dryRun };
      return performed(await during(target, (run) => resyncOrDryRun(run, [request], options)), []);
    },
    suspend: (resource, suspended) =>
      during(target, (run) =>
        setSuspended(run, kindOf(config.kinds, resource), { resource, suspended }),
      ),
    pauseRollout: (kind) =>
      during(target, (run) => pauseRollout(run, kindOf(config.kinds, kind), config)),
    resumeRollout: (seen) =>
      during(target, (run) => resumeRollout(run, kindOf(config.kinds, seen), { config, seen })),
    rollOutFirst: (resource) =>
      during(target, (run) => rollOutFirst(run, kindOf(config.kinds, resource), resource)),
  };
}

const maxRuns = 50;

function kindOf(kinds: readonly Kind[], { resource }: Pick<ResourceKey, 'resource'>): Kind {
  const kind = kinds.find((one) => groupResource(one) === resource);
  if (kind === undefined) throw new RefusedActionError(`${resource} is not in the configuration`);
  return kind;
}

function readSnapshot(target: DashboardTarget): Promise<DashboardSnapshot> {
  const at = Date.now();
  const { kinds, namespaces, concurrency } = target.config;
  const area = { kinds, namespaces, name: undefined };
  return during(target, async (run) => {
    const { resources, failures, unread } = await inspect(run, area, { concurrency });
    if (unread !== undefined) throw new Error(unread);
    const rollouts = await rolloutsIn(run, resources);
    return {
      at,
      failures,
      requests: requestsIn(run.cluster.traffic),
      durationMs: Date.now() - at,
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
    id: uid,
    kind: kind.kind,
    resource: groupResource(kind),
    namespace,
    name,
    generation,
    ...present({ observedGeneration, rollout }),
    suspended,
    deleting,
    first: first === true,
    sync,
    conditions,
    children,
  };
}

/** If the server refuses to watch a type, its changes appear with the next periodic read. */
const watchAll =
  ({ config, credentials }: DashboardTarget): Operations['watch'] =>
  (onChange) => {
    const end = new AbortController();
    const { kinds, namespaces = [undefined], identity } = config;
    const labels = { [label.managedBy]: identity.name };
    const watched = namespaces.flatMap((namespace) => [
      ...kinds.map((type) => ({ type, selection: { namespace } })),
      ...childTypesOf(kinds).map((type) => ({ type, selection: { namespace, labels } })),
    ]);
    const { signal } = end;
    for (const one of watched)
      void watchChanges(credentials, one, { onChange, onRefused: () => undefined, signal });
    return () => end.abort();
  };

function runOf(report: Report, changes: RunView['changes']): RunView {
  const { outcomes, statusWrites, durationMs, requests, resources } = report;
  const { failures, moreFailures } = report;
  const isFailed = failures.length + moreFailures > outcomes.blocked;
  const [error] = problemsIn(isFailed ? report : { ...report, failures: [], moreFailures: 0 });
  return {
    at: Date.now() - durationMs,
    trigger: 'dashboard',
    durationMs,
    resources,
    changes,
    requests: requestsIn(requests),
    writes: outcomes.created + outcomes.updated + outcomes.deleted + statusWrites,
    ...present({ blocked: outcomes.blocked > 0 ? outcomes.blocked : undefined, error }),
  };
}
