import { groupResource, isClusterScoped, type KubeObject } from '../kubernetes.ts';
import { observeResource } from '../plan/observed.ts';
import { addMember, type Fleet, newFleet } from '../plan/rollout-wave.ts';
import { areaOf, isWide, keyOfAreas, laneOf, misfitOf } from '../reconcile/area.ts';
import { listErrorOf } from '../reconcile/list-error.ts';
import type { Report } from '../reconcile/report.ts';
import { beginForParts } from '../reconcile/rollout-wave.ts';
import type { Run } from '../reconcile/run.ts';
import { type Scope, scopeMessage } from '../scope.ts';
import { InvalidRequestError, ListsFailedError } from './errors.ts';
import type { FanOutTarget } from './publish.ts';
import { type Reconciler, reconcileScopes } from './reconciler.ts';

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
  const { kinds, namespaces } = areaOf(scope, config);
  const found = new Set<string>();
  const kindsFound = new Set<string>();
  const incomplete: FannedOut['incomplete'][number][] = [];
  let resources = 0;
  const fleets: Fleet[] = [];
  for (const kind of kinds) {
    const fleet = newFleet(kind);
    const keep = (live: KubeObject): void => {
      const { namespace } = live.metadata;
      resources++;
      addMember(fleet, observeResource(kind, live, run));
      if (namespace === undefined) kindsFound.add(groupResource(kind));
      else found.add(namespace);
    };
    for (const namespace of namespaces ?? [undefined]) {
      await run.cluster.list(kind, { namespace }, keep).catch((error: unknown) => {
        const failure = { kind: groupResource(kind), error: listErrorOf(kind, kinds, error) };
        incomplete.push(failure);
        log.error('kind not listed', failure);
      });
    }
    if (!incomplete.some((one) => one.kind === groupResource(kind))) fleets.push(fleet);
  }
  if (resources === 0 && incomplete.length > 0) throw new ListsFailedError(incomplete);
  // The runs of the messages see only parts, and change what is begun here.
  if (!config.dryRun) await beginForParts(run, { namespaces }, fleets);
  const sorted = [...found].toSorted();
  const clusterScoped = [...kindsFound].toSorted();
  const scopes = [
    ...sorted.map((namespace) => ({ ...scope, namespace })),
    ...clusterScoped.map((kind) => ({ kind })),
  ];
  await publish(
    scopes.map((one) => scopeMessage(one, cluster)),
    run.deadline,
  );
  log.summary('fanned out', {
    namespaces: sorted.length,
    resources,
    incomplete: incomplete.length,
  });
  const more = kinds.some(isClusterScoped) ? { clusterScoped } : {};
  return { namespaces: sorted, ...more, resources, incomplete };
}
