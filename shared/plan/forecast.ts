import { childAfter } from './child-after.ts';
import type { Decision } from './decision.ts';
import type { ObservedChild } from './observed.ts';
import { expectedOutcome, note, type Outcome } from './outcome.ts';
import type { CompletePlan } from './plan.ts';
import { schedule } from './schedule.ts';
import type { Basis } from './steps.ts';
import { keyOf, type World } from './world.ts';

/** The result of performing a plan if nothing changes meanwhile and the server refuses nothing. */
export interface Forecast {
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** The children afterwards. */
  readonly world: World;
  /** In the order of the plan; deletions that are not allowed are reported as waiting. */
  readonly decisions: readonly Decision[];
}

export interface Circumstances {
  readonly world: World;
  /** Outcomes already known, by child. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** Whether this run may delete. */
  readonly prune: boolean;
  readonly basisOf: (decision: Decision) => Basis;
}

/** Follows the schedule of the plan as if each decision were carried out. */
export function forecast(planned: CompletePlan, circumstances: Circumstances): Forecast {
  const { world, prune } = circumstances;
  const ahead: Ahead = {
    outcomes: new Map(circumstances.outcomes),
    children: new Map(world.children),
    decisions: [],
  };
  for (const decision of schedule(planned, ahead.outcomes, prune))
    take(ahead, decision, circumstances);
  return { ...ahead, world: { ...world, children: ahead.children } };
}

interface Ahead {
  readonly outcomes: Map<string, Outcome>;
  readonly children: Map<string, ObservedChild>;
  readonly decisions: Decision[];
}

function take(
  { outcomes, children, decisions }: Ahead,
  decision: Decision,
  { world, basisOf }: Circumstances,
): void {
  const key = keyOf(decision.child);
  decisions.push(decision);
  note(outcomes, expectedOutcome(decision), world.resource);
  const basis = basisOf(decision);
  const after = childAfter(decision, { ...basis, observed: children.get(key) ?? basis.observed });
  if (after === undefined) children.delete(key);
  else children.set(key, after);
}
