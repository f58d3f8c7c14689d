import { childAfter } from './child-after.ts';
import { course } from './course.ts';
import type { Decision } from './decision.ts';
import type { ObservedChild, ObservedResource } from './observed.ts';
import { foresee, note, type Outcome } from './outcome.ts';
import type { Plan } from './plan.ts';
import type { Ground } from './requests.ts';
import { keyOf, type World } from './world.ts';

/** The result of performing a plan if nobody interferes and the server refuses nothing. */
export interface Forecast {
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** The children afterwards. */
  readonly world: World;
  /** In the order of the plan; deletions that are not allowed are reported as waiting. */
  readonly decisions: readonly Decision[];
}

export interface Circumstances {
  readonly resource: ObservedResource;
  readonly world: World;
  /** Outcomes already known, by child. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** Whether this run may delete. */
  readonly prune: boolean;
  readonly groundOf: (decision: Decision) => Ground;
}

/** Follows the course of the plan as if each decision were carried out. */
export function forecast(planned: Planned, circumstances: Circumstances): Forecast {
  const { world, prune } = circumstances;
  const ahead: Ahead = {
    outcomes: new Map(circumstances.outcomes),
    children: new Map(world.children),
    decisions: [],
  };
  for (const decision of course(planned, ahead.outcomes, prune))
    take(ahead, decision, circumstances);
  return { ...ahead, world: { ...world, children: ahead.children } };
}

type Planned = Extract<Plan, { state: 'planned' }>;

interface Ahead {
  readonly outcomes: Map<string, Outcome>;
  readonly children: Map<string, ObservedChild>;
  readonly decisions: Decision[];
}

function take(
  { outcomes, children, decisions }: Ahead,
  decision: Decision,
  { resource, groundOf }: Circumstances,
): void {
  const key = keyOf(decision.child);
  decisions.push(decision);
  note(outcomes, foresee(decision), resource);
  const ground = groundOf(decision);
  const after = childAfter(decision, { ...ground, observed: children.get(key) ?? ground.observed });
  if (after === undefined) children.delete(key);
  else children.set(key, after);
}
