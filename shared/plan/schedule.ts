import { groupResource, keyOf, type ObjectRef, titleOf } from '../kubernetes.ts';
import { type Decision, insteadOf, isWriteDecision } from './decision/decision.ts';
import { impactOf } from './decision/decision-impact.ts';
import { isSatisfied, type Outcome } from './decision/outcome.ts';
import { exposurePending, waitingFor } from './decision/reasons.ts';
import type { CompletePlan } from './plan.ts';
import { isLimited } from './pruning.ts';

/**
 * Yields the decisions of a plan in order. A wait replaces each decision that earlier outcomes do not allow.
 *
 * Flow:
 * 1. Exposures, up to the last exposure that closes something: closing waits for no other write.
 * 2. Desired children, each after the children that it needs (`afterNeeds`).
 * 3. The other exposures, even if desired children failed, then desired children that need an exposing child. In 1 and
 *    3, an exposure that is not done stops all later exposures.
 * 4. Deletions, if `prune` allows them or they are not limited. A deletion waits until everything in its namespace and
 *    everything cluster-scoped succeeded in 1 to 3. For children of a type that could not be listed, only deletions of
 *    related types wait.
 *
 * Guarantees: a preview takes the same decisions as the first pass of a run, in the same order.
 * Caveats: put the outcome of a decision into `outcomes` before you request the next decision.
 */
export function* schedule(
  { decisions, exposures, deletions, unlisted }: CompletePlan,
  outcomes: ReadonlyMap<string, Outcome>,
  prune: Prune,
): Generator<Decision, void> {
  const due = (decision: Decision): Decision => {
    const unmet = decision.needs?.find((one) => !isSatisfied(outcomes.get(keyOf(one))));
    return unmet === undefined
      ? decision
      : insteadOf(decision, { verb: 'wait', ...waitingFor(decision, unmet) });
  };
  let isReached = true;
  function* inOrder(some: readonly Decision[]): Generator<Decision, void> {
    for (const decision of some) {
      yield isReached ? due(decision) : notReached(decision);
      isReached &&= isSatisfied(outcomes.get(keyOf(decision.child)));
    }
  }
  const closing = exposures.findLastIndex(closes) + 1;
  yield* inOrder(exposures.slice(0, closing));
  const exposing = new Set(exposures.map(({ child }) => keyOf(child)));
  const { first = [], last = [] } = Object.groupBy(afterNeeds(decisions), ({ child, needs }) => {
    if (!needs?.some((one) => exposing.has(keyOf(one)))) return 'first';
    exposing.add(keyOf(child));
    return 'last';
  });
  for (const decision of first) yield due(decision);
  yield* inOrder(exposures.slice(closing));
  for (const decision of last) yield due(decision);
  const before = [...outcomes.values()];
  const possible = before.filter(({ child }) => unlisted?.children.has(keyOf(child)) !== true);
  for (const decision of deletions) {
    const awaited = unlisted?.types.has(groupResource(decision.type)) ? before : possible;
    const mayPrune = !isLimited(decision) || prune(decision.namespace);
    const isDue = mayPrune && isNamespaceSettled(awaited, decision.child);
    yield isDue ? decision : pending(decision, mayPrune);
  }
}

/** Puts decisions that generate data first, and every decision after the decisions about its `needs`. */
export function afterNeeds(decisions: readonly Decision[]): readonly Decision[] {
  const left = new Map(decisions.map((decision) => [keyOf(decision.child), decision]));
  const ordered: Decision[] = [];
  const place = (decision: Decision | undefined): void => {
    if (decision === undefined || !left.delete(keyOf(decision.child))) return;
    for (const need of decision.needs ?? []) place(left.get(keyOf(need)));
    ordered.push(decision);
  };
  for (const decision of decisions) if ('generates' in decision) place(decision);
  for (const decision of decisions) place(decision);
  return ordered;
}

/** Reports whether a change to a child that exposes paths may make the cluster refuse requests that it now admits. */
const closes = (decision: Decision): boolean =>
  decision.verb === 'delete' ||
  (decision.verb !== 'create' &&
    impactOf(decision).some((impact) => impact === 'close' || impact === 'unknown'));

/** Reports whether this run may delete objects in a namespace; '' stands for cluster-scoped objects. */
export type Prune = (namespace: string) => boolean;

const isNamespaceSettled = (before: readonly Outcome[], { namespace }: ObjectRef): boolean =>
  before
    .filter(({ child }) => child.namespace === undefined || child.namespace === namespace)
    .every(isSatisfied);

const pending = (decision: Decision, mayPrune: boolean): Decision => {
  if (decision.verb === 'wait' || decision.verb === 'fail' || decision.type.retained)
    return decision;
  const why = mayPrune ? '' : ', because PRUNE_LIMIT does not allow it in this run';
  const message = `${titleOf(decision.child)} is no longer desired, but not deleted yet${why}`;
  const waits = 'undisturbed';
  return insteadOf(decision, { verb: 'wait', reason: 'PruningPending', message, waits });
};

const notReached = (decision: Decision): Decision =>
  isWriteDecision(decision)
    ? insteadOf(decision, { verb: 'wait', ...exposurePending(decision.child) })
    : decision;
