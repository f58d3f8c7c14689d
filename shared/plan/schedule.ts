import { keyOf, type ObjectRef, titleOf } from '../kubernetes.ts';
import {
  type Decision,
  exposurePending,
  isWriteDecision,
  type NoWriteDecision,
  waitingFor,
} from './decision/decision.ts';
import { allSucceeded, isSatisfied, type Outcome } from './decision/outcome.ts';
import type { CompletePlan } from './plan.ts';

/**
 * Yields the decisions of a plan in order; a decision that earlier outcomes do not allow is yielded as a wait.
 *
 * Flow: first the wanted children. Then exposures in order, up to the first that is not done, even if wanted children
 * failed: neither a failing Deployment nor the limit of deletions keeps an exposure open. Then deletions, each if
 * everything before the deletions succeeded in its namespace and cluster-scoped.
 * Guarantees: performing and previewing take the same decisions in the same order.
 * Caveats: the outcome of a decision must be in `outcomes` before the next one is requested.
 */
export function* schedule(
  { decisions, exposures, deletions }: CompletePlan,
  outcomes: ReadonlyMap<string, Outcome>,
  prune: Prune,
): Generator<Decision, void> {
  const due = (decision: Decision): Decision => {
    const unmet = decision.needs?.find((one) => !isSatisfied(outcomes.get(keyOf(one))));
    return unmet === undefined ? decision : waiting(decision, waitingFor(decision.child, unmet));
  };
  for (const decision of decisions) yield due(decision);
  for (const [at, decision] of exposures.entries()) {
    yield due(decision);
    if (isSatisfied(outcomes.get(keyOf(decision.child)))) continue;
    yield* exposures.slice(at + 1).map(notReached);
    break;
  }
  const before = [...outcomes.values()];
  for (const decision of deletions)
    yield prune(decision.namespace) && isNamespaceSettled(before, decision.child)
      ? decision
      : pending(decision);
}

/** Reports whether this run may delete objects in a namespace ('' for cluster-scoped objects). */
export type Prune = (namespace: string) => boolean;

/** Ignores outcomes in other namespaces. */
const isNamespaceSettled = (before: readonly Outcome[], { namespace }: ObjectRef): boolean =>
  allSucceeded(
    before.filter(({ child }) => child.namespace === undefined || child.namespace === namespace),
  );

const waiting = (
  { type, child, namespace }: Decision,
  why: { readonly reason: string; readonly message: string },
): NoWriteDecision => ({ type, child, namespace, verb: 'wait', ...why });

const pending = (decision: Decision): Decision => {
  if (decision.verb === 'wait' || decision.verb === 'fail' || decision.type.retained)
    return decision;
  const message = `${titleOf(decision.child)} is no longer wanted and not deleted yet`;
  return waiting(decision, { reason: 'PruningPending', message });
};

/** A decision that writes nothing keeps its own reason. */
const notReached = (decision: Decision): Decision =>
  isWriteDecision(decision) ? waiting(decision, exposurePending(decision.child)) : decision;
