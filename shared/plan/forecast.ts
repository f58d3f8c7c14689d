import { childAfter } from './decision/child-after.ts';
import { type Decision, isWriteDecision } from './decision/decision.ts';
import { originOf } from './decision/origin.ts';
import { addOutcome, expectedOutcome, type Outcome } from './decision/outcome.ts';
import type { Basis } from './decision/steps.ts';
import type { ObservedChild } from './observed/observed.ts';
import { keyOf, type World } from './observed/world.ts';
import type { CompletePlan } from './plan.ts';
import { type Prune, schedule } from './schedule.ts';

/** The result of performing a plan, if nothing changes meanwhile and the server refuses nothing. */
export interface Forecast {
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** The children afterwards. */
  readonly world: World;
  /** In the plan's order; deletions that are not allowed become waits. */
  readonly decisions: readonly Decision[];
}

interface ForecastInput {
  readonly world: World;
  /** Outcomes already known, by child. */
  readonly outcomes: ReadonlyMap<string, Outcome>;
  readonly prune: Prune;
  readonly basisOf: (decision: Decision) => Basis;
}

/** Follows the plan's schedule as if each decision succeeded. */
export function forecast(planned: CompletePlan, input: ForecastInput): Forecast {
  const { world, prune } = input;
  const state: ForecastState = {
    outcomes: new Map(input.outcomes),
    children: new Map(world.children),
    decisions: [],
  };
  for (const decision of schedule(planned, state.outcomes, prune)) take(state, decision, input);
  return { ...state, world: { ...world, children: state.children } };
}

interface ForecastState {
  readonly outcomes: Map<string, Outcome>;
  readonly children: Map<string, ObservedChild>;
  readonly decisions: Decision[];
}

function take(
  { outcomes, children, decisions }: ForecastState,
  decision: Decision,
  { world, basisOf }: ForecastInput,
): void {
  const key = keyOf(decision.child);
  decisions.push(decision);
  const origin = isWriteDecision(decision) ? originOf(decision, world) : undefined;
  const why = origin === undefined ? {} : { origin };
  addOutcome(outcomes, { ...expectedOutcome(decision), ...why }, world.resource);
  const basis = basisOf(decision);
  const observed = children.get(key) ?? basis.observed;
  const after = childAfter(decision, { ...basis, observed }, world);
  if (after === undefined) children.delete(key);
  else children.set(key, after);
}
