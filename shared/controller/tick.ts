import { isExpired } from '../cluster/errors.ts';
import { groupResource, isClusterScoped, type KubeObject } from '../kubernetes.ts';
import { observeResource } from '../plan/observed.ts';
import { addMember, type Fleet, newFleet } from '../plan/rollout-wave.ts';
import { type Area, areaOf, isWide, keyOfAreas, laneOf, misfitOf } from '../reconcile/area.ts';
import { listErrorOf } from '../reconcile/list-error.ts';
import type { Report } from '../reconcile/report.ts';
import { beginForParts } from '../reconcile/rollout-wave.ts';
import type { Run } from '../reconcile/run.ts';
import { type Scope, scopeMessage } from '../scope.ts';
import { InvalidRequestError, ListsFailedError } from './errors.ts';
import { type FanOutTarget, type Reconciler, reconcileScopes } from './reconciler.ts';

/** What a tick with fan-out published. */
export interface FannedOut {
  /** One Scope message was published for each. */
  readonly namespaces: readonly string[];
  /** Likewise, of cluster-scoped kinds with resources: `teams.example.org`. Absent without such kinds. */
  readonly clusterScoped?: readonly string[];
  readonly resources: number;
  readonly incomplete: readonly { readonly kind: string; readonly error: string }[];
}

/** Reconciles everything or one Scope; with fan-out it publishes a Scope message for each namespace instead. */
export async function tick(reconciler: Reconciler, scope: Scope): Promise<Report | FannedOut> {
  const { config, enqueue, fanOut } = reconciler;
  const area = areaOf(scope, config);
  if (area.kinds.length === 0) {
    const known = config.kinds.map(({ kind }) => kind).join(', ');
    const where = config.namespaces === undefined ? '' : ` in ${config.namespaces.join(', ')}`;
    throw new InvalidRequestError(
      misfitOf(scope, config) ??
        `the scope selects nothing: this function reconciles ${known}${where}`,
    );
  }
  const arrived = Date.now();
  return enqueue(arrived, {
    key: `resync ${keyOfAreas([area])}`,
    lane: laneOf([area]),
    input: undefined,
    act: async (_, onSettling): Promise<Report | FannedOut> => {
      const run = await reconciler.begin('tick', arrived);
      return fanOut !== undefined && isWide(scope)
        ? publishScopes(reconciler, run, { scope, ...fanOut })
        : reconcileScope(reconciler, run, { scope, onSettling });
    },
  });
}

async function reconcileScope(
  reconciler: Reconciler,
  run: Run,
  { scope, onSettling }: { readonly scope: Scope; readonly onSettling: () => void },
): Promise<Report> {
  const report = await reconcileScopes(reconciler, run, { scopes: [scope], onSettling });
  const { incomplete } = report;
  if (incomplete.length === areaOf(scope, reconciler.config).kinds.length)
    throw new ListsFailedError(incomplete);
  return report;
}

/**
 * Publishes a Scope message for each namespace that holds resources, and for each cluster-scoped kind
 * that has some.
 *
 * Guarantees: after an error it can be repeated, as publishing a message twice does no harm.
 * Caveats: each message leads to a run that sees only its own namespace, so PRUNE_LIMIT counts within a
 * namespace.
 */
async function publishScopes(
  { config, log }: Reconciler,
  run: Run,
  { scope, publish, cluster }: FanOutTarget & { readonly scope: Scope },
): Promise<FannedOut> {
  const area = areaOf(scope, config);
  const { fleets, found, clusterScoped, incomplete } = await listFleets(run, area);
  for (const failure of incomplete) log.error('kind not listed', failure);
  const resources = fleets.reduce((sum, fleet) => sum + fleet.resources, 0);
  if (resources === 0 && incomplete.length > 0) throw new ListsFailedError(incomplete);
  // The runs of the messages see only parts, and change what is begun here.
  const isWhole = ({ kind }: Fleet): boolean =>
    !incomplete.some((one) => one.kind === groupResource(kind));
  if (!config.dryRun) await beginForParts(run, area, fleets.filter(isWhole));
  const namespaces = [...found].toSorted();
  const kinds = [...clusterScoped].toSorted();
  const scopes = [
    ...namespaces.map((namespace) => ({ ...scope, namespace })),
    ...kinds.map((kind) => ({ kind })),
  ];
  await publish(
    scopes.map((one) => scopeMessage(one, cluster)),
    run.deadline,
  );
  log.summary('fanned out', {
    namespaces: namespaces.length,
    resources,
    incomplete: incomplete.length,
  });
  const more = area.kinds.some(isClusterScoped) ? { clusterScoped: kinds } : {};
  return { namespaces, ...more, resources, incomplete };
}

/** Lists the resources of each kind, and where they are. */
async function listFleets(run: Run, { kinds, namespaces }: Pick<Area, 'kinds' | 'namespaces'>) {
  const fleets: Fleet[] = [];
  const found = new Set<string>();
  const clusterScoped = new Set<string>();
  const incomplete: FannedOut['incomplete'][number][] = [];
  for (const kind of kinds) {
    const fleet = newFleet(kind);
    fleets.push(fleet);
    const keep = (live: KubeObject): void => {
      const { namespace } = live.metadata;
      addMember(fleet, observeResource(kind, live, run));
      if (namespace === undefined) clusterScoped.add(groupResource(kind));
      else found.add(namespace);
    };
    for (const namespace of namespaces ?? [undefined]) {
      const before = fleet.resources;
      const list = () => run.cluster.list(kind, { namespace }, keep);
      const restart = (error: unknown): Promise<void> => {
        if (!isExpired(error)) throw error;
        fleet.resources = before;
        return list();
      };
      await list()
        .catch(restart)
        .catch((error: unknown) => {
          const why = listErrorOf(kind, kinds, error);
          incomplete.push({ kind: groupResource(kind), error: why });
        });
    }
  }
  return { fleets, found, clusterScoped, incomplete };
}
