import type { Publish } from '../config/config.ts';
import { present } from '../json.ts';
import { groupResource } from '../kubernetes.ts';
import { mergeRequests, type ReconcileRequest, requestMessage } from '../reconcile-request.ts';
import { type Report, shortened } from '../resync/report.ts';
import type { Incomplete } from '../resync/survey-result.ts';
import { beginWaves, listFleet } from '../rollout/choose.ts';
import { type Fleet, newFleet } from '../rollout/fleet.ts';
import { type Area, areaOf, isWide, keyOfAreas, laneOf, misfitOf, splitArea } from '../run/area.ts';
import { listErrorOf } from '../run/explain.ts';
import { type Run, timeLeft, withObserver } from '../run/run.ts';
import { measured, nameAmongClusters, type Reconciler, reconcileRequests } from './reconciler.ts';
import { listsFailed, RequestFailure } from './request-errors.ts';

interface FannedOut {
  readonly reconcileRequests: readonly ReconcileRequest[];
  readonly resources: number;
  readonly incomplete: readonly Incomplete[];
}

/** With fan-out, a request for whole kinds only publishes request messages. The deadline runs from its arrival. */
export async function resyncOrFanOut(
  reconciler: Reconciler,
  request: ReconcileRequest,
): Promise<Report | FannedOut> {
  const { config, enqueue } = reconciler;
  const { publish } = config.platform;
  const area = areaOf(request, config);
  if (area.kinds.length === 0) {
    const known = config.kinds.map(({ kind }) => kind).join(', ');
    const where = config.namespaces === undefined ? '' : ` in ${config.namespaces.join(', ')}`;
    throw new RequestFailure(
      'invalid',
      misfitOf(request, config) ??
        `the request selects nothing: this function reconciles ${known}${where}`,
    );
  }
  const arrived = Date.now();
  return enqueue(arrived, {
    key: `resync ${keyOfAreas([area])}`,
    lane: laneOf([area]),
    input: undefined,
    act: (_, onSettling) =>
      measured<Report | FannedOut>(reconciler, { trigger: 'resync' }, async () => {
        const run = withObserver(await reconciler.begin('resync', arrived), { onSettling });
        const result =
          publish !== undefined && isWide(request)
            ? await publishRequests(reconciler, run, { area, request, publish })
            : await reconcileRequests(reconciler, run, [request]);
        const incomplete = result.incomplete.filter((one) => !('ofChildren' in one));
        // One list for each kind and namespace, because an area with namespaces has no cluster-scoped kind.
        const lists = area.kinds.length * (area.namespaces?.length ?? 1);
        if (incomplete.length === lists) throw listsFailed(incomplete);
        return 'undone' in result ? shortened(result) : result;
      }),
  });
}

interface FanOut {
  readonly publish: Publish;
  readonly request: ReconcileRequest;
  readonly area: Area;
}

/**
 * Publishes a message for each namespace, and for each cluster-scoped kind, with resources. Duplicates do no harm.
 *
 * Caveats: PRUNE_LIMIT applies to each message alone. Publishes the messages even with DRY_RUN: the audit function
 * needs its own DRY_RUN.
 */
async function publishRequests(
  { config, log }: Reconciler,
  run: Run,
  { area, request, publish }: FanOut,
): Promise<FannedOut> {
  const { fleets, incomplete } = await listFleets(run, area);
  for (const failure of incomplete) log.error('kind not listed', { ...failure });
  const resources = fleets.reduce((sum, fleet) => sum + fleet.resources, 0);
  const isWhole = ({ kind }: Fleet): boolean =>
    !incomplete.some((one) => one.kind === groupResource(kind));
  // Begins the rollouts here, because the run for each message sees only a part of a kind.
  if (!config.dryRun) await beginWaves(run, area, { fleets: fleets.filter(isWhole), work: [] });
  const reconcileRequests = mergeRequests(
    fleets.flatMap(({ kind, namespaces }) =>
      [...namespaces].map((namespace) =>
        namespace === '' ? { kind: groupResource(kind) } : { ...request, namespace },
      ),
    ),
  );
  const cluster = nameAmongClusters(config);
  const messages = reconcileRequests.map((one) => requestMessage(one, cluster));
  await publish(messages, Date.now() + timeLeft(run));
  log.summary('fanned out', {
    messages: messages.length,
    resources,
    incomplete: incomplete.length,
  });
  return { reconcileRequests, resources, incomplete };
}

async function listFleets(run: Run, area: Area) {
  const fleets: Fleet[] = [];
  const incomplete: Incomplete[] = [];
  for (const kind of area.kinds) {
    const parts: Fleet[] = [];
    for (const part of splitArea(area))
      try {
        parts.push(await listFleet(run, part, kind));
      } catch (error) {
        incomplete.push({
          kind: groupResource(kind),
          error: listErrorOf(kind, area.kinds, error),
          ...present({ namespace: part.namespaces?.[0] }),
        });
      }
    fleets.push(newFleet(kind, parts));
  }
  return { fleets, incomplete };
}
