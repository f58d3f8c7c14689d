import { groupResource, keyOf, type ObjectRef, titleOf } from '../kubernetes.ts';
import { type Decision, insteadOf, isWriteDecision } from './decision/decision.ts';
import { impactOf } from './decision/decision-impact.ts';
import { allSucceeded, isSatisfied, type Outcome } from './decision/outcome.ts';
import { exposurePending, waitingFor } from './decision/reasons.ts';
import type { CompletePlan } from './plan.ts';

/**
 * Yields the decisions of a plan in order. A decision that earlier outcomes do not allow is yielded as a
 * wait.
 *
 * Flow:
 * 1. Exposures, up to the last one that closes something, so that closing waits for no other write.
 * 2. Desired children.
 * 3. The other exposures, even if desired children failed. Both parts end at the first exposure that is not
 *    done.
 * 4. Deletions. Each waits unless parts 1 to 3 succeeded for everything in its namespace and everything
 *    cluster-scoped. If children are not in place only because their type was not listed, just the deletions of
 *    related types wait for them.
 *
 * Guarantees: performing and previewing take the same decisions in the same order. Caveats: put the outcome
 * of a decision into `outcomes` before requesting the next one.
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
      : insteadOf(decision, { verb: 'wait', ...waitingFor(decision.child, unmet) });
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
  for (const decision of decisions) yield due(decision);
  yield* inOrder(exposures.slice(closing));
  const before = [...outcomes.values()];
  const possible = before.filter(({ child }) => unlisted?.children.has(keyOf(child)) !== true);
  for (const decision of deletions) {
    const isRelated = unlisted?.types.has(groupResource(decision.type)) === true;
    const awaited = isRelated ? before : possible;
    yield prune(decision.namespace) && isNamespaceSettled(awaited, decision.child)
      ? decision
      : pending(decision);
  }
}

/** Sorts decisions: those that generate data first, and each after those that it needs. */
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

/** Reports whether the write of an exposing child may refuse requests that are admitted now. */
function closes(decision: Decision): boolean {
  if (decision.verb === 'delete') return true;
  const impact = decision.verb === 'create' ? [] : impactOf(decision);
  return impact.includes('close') || impact.includes('unknown');
}

/** Reports whether this run may delete objects in a namespace ('' for cluster-scoped objects). */
export type Prune = (namespace: string) => boolean;

const isNamespaceSettled = (before: readonly Outcome[], { namespace }: ObjectRef): boolean =>
  allSucceeded(
    before.filter(({ child }) => child.namespace === undefined || child.namespace === namespace),
  );

const pending = (decision: Decision): Decision => {
  if (decision.verb === 'wait' || decision.verb === 'fail' || decision.type.retained)
    return decision;
  const message = `${titleOf(decision.child)} is no longer desired and not deleted yet`;
  return insteadOf(decision, { verb: 'wait', reason: 'PruningPending', message });
};

const notReached = (decision: Decision): Decision =>
  isWriteDecision(decision)
    ? insteadOf(decision, { verb: 'wait', ...exposurePending(decision.child) })
    : decision;
