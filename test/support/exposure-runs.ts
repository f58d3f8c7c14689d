/** Explores every course that runs can take from one state to a list of endpoints. */

import {
  type DesiredPaths,
  type ExposureStep,
  exposureSteps,
} from '../../shared/plan/exposure/order.ts';
import {
  ingress,
  lingering,
  openRouter,
  perform,
  type RouterScopes,
  type State,
  without,
} from './router.ts';

export type Plan = (live: State, desired: readonly DesiredPaths[]) => readonly ExposureStep[];

export interface Journey {
  readonly requests: readonly string[];
  readonly start: State;
  readonly desired: readonly DesiredPaths[];
  readonly plan?: Plan;
  /** True if a run continues with the next step after a failed one. */
  readonly goesOn?: boolean;
}

export interface Findings {
  /** Requests admitted with fewer scopes than both lists demand, with the state that admits them. */
  readonly leaks: readonly string[];
  /** States in which a run ends without reaching the list, writes for nothing or deletes a desired Ingress. */
  readonly astray: readonly string[];
  readonly states: number;
}

interface Course {
  readonly state: State;
  /** Remaining steps of the current run. */
  readonly rest: readonly ExposureStep[];
  /** The old list; after an Ingress that others had deleted is gone, also the list without it. */
  readonly old: readonly State[];
}

/**
 * Flow: a run performs its steps. Before each step it may end, and another run plans again from the
 * current state. A deletion may linger, which ends the run; a lingering Ingress may vanish at any moment.
 */
export function openRuns(): (journey: Journey) => Findings {
  const route = openRouter();
  return ({ requests, start, desired, plan = exposureSteps, goesOn = false }) => {
    const target = desired.map(({ name, paths }) => ingress(name, paths));
    const there = textOf(target);
    const leaks: string[] = [];
    const astray: string[] = [];
    const seen = new Set<string>();
    const courses: Course[] = [{ state: start, rest: plan(start, desired), old: [start] }];
    for (let course = courses.pop(); course !== undefined; course = courses.pop()) {
      const { state, rest, old } = course;
      const key = JSON.stringify([state, rest, old.length]);
      if (seen.has(key)) continue;
      seen.add(key);
      for (const request of requests) {
        const scopes = route(state, request);
        if (scopes === undefined) continue;
        const isEnough = (list: State): boolean => asksFor(scopes, route(list, request));
        if (isEnough(target) || old.some(isEnough)) continue;
        leaks.push(`${request} at ${textOf(state)}`);
      }
      const anew = plan(state, desired);
      const isThere = textOf(state) === there && !state.some(({ deleting }) => deleting);
      if ((anew.length === 0) !== isThere) astray.push(textOf(state));
      if (anew.some((step) => step.verb === 'delete' && isNamed(desired, step)))
        astray.push(textOf(state));
      astray.push(
        ...ends(course)
          .map(textOf)
          .filter((end) => end !== there),
      );
      courses.push({ ...course, rest: anew }, ...vanishing(course, start), ...goingOn(course));
      if (goesOn) courses.push({ ...course, rest: rest.slice(1) });
    }
    return { leaks, astray, states: seen.size };
  };
}

const isNamed = (gates: readonly DesiredPaths[], { name }: ExposureStep): boolean =>
  gates.some((gate) => gate.name === name);

/** Reports whether a request demands at least the scopes of another one; a refusal demands more than any. */
const asksFor = (scopes: readonly string[], least: RouterScopes): boolean =>
  least?.every((scope) => scopes.includes(scope)) ?? false;

/** Returns the state after the last step of a run; nothing before that. */
const ends = ({ state, rest: [step, ...later] }: Course): readonly State[] =>
  step === undefined || step.verb === 'wait' || later.length > 0 ? [] : [perform(state, step)];

function goingOn({ state, rest: [step, ...later], old }: Course): readonly Course[] {
  if (step === undefined || step.verb === 'wait') return [];
  const done = { state: perform(state, step), rest: later, old };
  if (step.verb === 'apply') return [done];
  return [done, { state: lingering(state, step.name), rest: [], old }];
}

/** Removes a lingering Ingress. If others deleted it, its disappearance is no fault of ours. */
const vanishing = ({ state, rest, old }: Course, start: State): readonly Course[] =>
  state
    .filter(({ deleting }) => deleting)
    .map(({ name, precedence }) => {
      const isTheirs = start.some(
        (one) => one.deleting && one.name === name && one.precedence === precedence,
      );
      const gone = isTheirs ? old.map((list) => without(list, name)) : [];
      return { state: without(state, name), rest: until(name, rest), old: [...old, ...gone] };
    });

/** Ends the run at a step for an Ingress that is gone, because its write fails. */
function until(name: string, rest: readonly ExposureStep[]): readonly ExposureStep[] {
  const at = rest.findIndex((step) => step.name === name);
  return at < 0 ? rest : [...rest.slice(0, at), { verb: 'wait', name }];
}

const textOf = (state: State): string =>
  JSON.stringify(state.map(({ name, paths }) => [name, ...paths]).toSorted());
