import { keyOf } from '../kubernetes.ts';
import { childAfter } from './decision/child-after.ts';
import { type Decision, isWriteDecision } from './decision/decision.ts';
import { originOf } from './decision/origin.ts';
import { addOutcome, expectedOutcome, type Outcome } from './decision/outcome.ts';
import { recordOf } from './decision/records.ts';
import type { Basis } from './decision/steps.ts';
import { type Applied, wantedDigest } from './observed/applied.ts';
import type { ObservedChild } from './observed/observed.ts';
import type { World } from './observed/world.ts';
import type { CompletePlan } from './plan.ts';
import { type Prune, schedule } from './schedule.ts';

/** The result of performing a plan, if nothing changes meanwhile and the server refuses nothing. */
export interface Forecast {
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** The world after the plan. */
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
    applied: new Map(world.applied),
    decisions: [],
  };
  for (const decision of schedule(planned, state.outcomes, prune)) take(state, decision, input);
  return { ...state, world: { ...world, children: state.children, applied: state.applied } };
}

interface ForecastState {
  readonly outcomes: Map<string, Outcome>;
  readonly children: Map<string, ObservedChild>;
  readonly applied: Map<string, Applied>;
  readonly decisions: Decision[];
}

function take(
  { outcomes, children, applied, decisions }: ForecastState,
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
  if (changesRecord(decision, world)) applied.set(key, unknownRecord);
  else applied.delete(key);
  const after = childAfter(decision, { ...basis, observed }, world);
  if (after === undefined) children.delete(key);
  else children.set(key, after);
}

/** Reports whether the child's record in the status will change: a repair restores what was recorded. */
function changesRecord(decision: Decision, world: World): boolean {
  if (decision.verb === 'create') return true;
  if (decision.verb !== 'update') return false;
  const observed = world.children.get(keyOf(decision.child));
  if (observed === undefined) return true;
  return recordOf(world, observed)?.wanted !== wantedDigest(decision.fields, observed.salt);
}

/** Stands for a record that only the server's response to the apply will show. */
const unknownRecord: Applied = { uid: '', generation: 0, wanted: '', stored: '' };
