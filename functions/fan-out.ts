import { messageOf } from '../shared/cluster/errors.ts';
import { groupResource } from '../shared/kubernetes.ts';
import { areaOf } from '../shared/reconcile/area.ts';
import type { Runs } from '../shared/runs.ts';
import { type Scope, scopeMessage } from '../shared/scope.ts';
import { nothingSeen } from './nothing-seen.ts';
import type { Publish } from './publish.ts';

/** What a tick published instead of running it. */
export interface FannedOut {
  /** One Scope message each. */
  readonly namespaces: readonly string[];
  readonly resources: number;
  readonly incomplete: readonly { readonly kind: string; readonly error: string }[];
}

/**
 * Publishes a Scope message for each namespace that holds resources.
 *
 * Guarantees: an error means that it has to be done again; a message twice does no harm.
 * Caveats: each part of the work has a picture of its own namespace only, so PRUNE_LIMIT counts
 * within a namespace.
 */
export async function fanOut(
  runs: Runs,
  publish: Publish,
  { scope, cluster }: { readonly scope: Scope; readonly cluster: string | undefined },
): Promise<FannedOut> {
  const { kinds, namespaces } = areaOf(scope, runs.config);
  const run = await runs.begin('tick');
  const found = new Set<string>();
  const incomplete: FannedOut['incomplete'][number][] = [];
  let resources = 0;
  for (const kind of kinds) {
    for (const namespace of namespaces ?? [undefined]) {
      const keep = (live: { readonly metadata: { readonly namespace?: string } }): void => {
        resources++;
        found.add(live.metadata.namespace ?? '');
      };
      await run.cluster.list(kind, { namespace }, keep).catch((error: unknown) => {
        incomplete.push({ kind: groupResource(kind), error: messageOf(error) });
        runs.log.error('kind not listed', { kind: groupResource(kind), error: messageOf(error) });
      });
    }
  }
  if (found.size === 0 && incomplete.length > 0) throw nothingSeen(incomplete);
  const sorted = [...found].toSorted();
  const messages = sorted.map((namespace) => scopeMessage({ ...scope, namespace }, cluster));
  await publish(messages, run.deadline);
  runs.log.summary('fanned out', {
    namespaces: sorted.length,
    resources,
    incomplete: incomplete.length,
  });
  return { namespaces: sorted, resources, incomplete };
}
