import { isMap, isZero } from '../canonical.ts';
import { valueAt } from '../json.ts';
import type { Json, JsonObject, KubeObject } from '../kubernetes.ts';
import { covers, type FieldContext } from './covers.ts';
import type { Decision, Update } from './decision.ts';
import { isOwnershipOnly } from './drift.ts';
import { manifestOf } from './manifest.ts';
import { type ObservedChild, observeChild } from './observed.ts';
import { addOutcome, expectedOutcome, type Outcome } from './outcome.ts';
import { join } from './owned-fields.ts';
import type { CompletePlan } from './plan.ts';
import { type Prune, schedule } from './schedule.ts';
import type { Basis } from './steps.ts';
import { keyOf, type World } from './world.ts';

/** The result of performing a plan, if nothing changes meanwhile and the server refuses nothing. */
export interface Forecast {
  readonly outcomes: ReadonlyMap<string, Outcome>;
  /** The children afterwards. */
  readonly world: World;
  /** In the plan's order; deletions that are not allowed become waits. */
  readonly decisions: readonly Decision[];
}

export interface ForecastInput {
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
  addOutcome(outcomes, expectedOutcome(decision), world.resource);
  const basis = basisOf(decision);
  const { namespace: from } = world.resource;
  const observed = children.get(key) ?? basis.observed;
  const after = childAfter(decision, { ...basis, observed }, from);
  if (after === undefined) children.delete(key);
  else children.set(key, after);
}

/** The child as the answer to the write will show it, before its controller reacts. */
function childAfter(
  decision: Decision,
  { observed, live }: Basis,
  from: string,
): ObservedChild | undefined {
  switch (decision.verb) {
    case 'create':
      return newChild(decision, decision.fields, from);
    case 'update': {
      if (observed === undefined) return observed;
      // Adoption sets the controller.
      const { controller, readiness } = newChild(decision, decision.fields, from);
      const seen = changesSpec(decision, live) ? readiness : observed.readiness;
      return { ...observed, controller, readiness: seen };
    }
    case 'delete':
      return undefined;
    default:
      return observed;
  }
}

const newChild = (decision: Decision, fields: JsonObject, from: string): ObservedChild => {
  const { metadata, ...rest } = manifestOf(decision, fields, 'absent');
  const made = { uid: '', resourceVersion: '', creationTimestamp: '', generation: 1 };
  return observeChild(decision.type, { ...rest, metadata: { ...metadata, ...made } }, { from });
};

/** Whether the server will increment the generation. */
function changesSpec(
  { type, differences, handOver, fields }: Update,
  live: KubeObject | undefined,
): boolean {
  const { quantities = [] } = type;
  if (live !== undefined)
    return !contains(live.spec as Json | undefined, fields.spec, { path: 'spec', quantities });
  return differences.some(
    (one) =>
      one.path.startsWith('spec.') &&
      !isOwnershipOnly(one) &&
      !(one.to === undefined && valueAt(handOver, ...one.path.split('.')) !== undefined),
  );
}

/** As `covers`, except that lists may have further items, in any order. */
function contains(live: Json | undefined, wanted: Json | undefined, field: FieldContext): boolean {
  const { path, quantities } = field;
  if (Array.isArray(live) && Array.isArray(wanted))
    return wanted.every((item) =>
      live.some((other) => contains(other, item, { path: `${path}[]`, quantities })),
    );
  if (isMap(live) && isMap(wanted))
    return Object.entries(wanted).every(([field, value]) =>
      contains(live[field], value, { path: join(path, field), quantities }),
    );
  return (live === undefined && isZero(wanted)) || covers(live, wanted, field);
}
