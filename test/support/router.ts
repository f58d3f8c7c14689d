/** Models the Ingresses of one application, the ingress controller, and the effect of steps. */

import type { DesiredPaths, ExposureStep, LivePaths } from '../../shared/plan/exposure/order.ts';

/** A live Ingress of an application. */
export interface Ingress extends LivePaths {
  readonly scopes: readonly string[];
  readonly precedence: string;
}
export type State = readonly Ingress[];
export type Endpoints = Readonly<Record<string, readonly string[]>>;

/** Scopes that a request must have; undefined if it is refused. */
export type RouterScopes = readonly string[] | undefined;

/** Formats a path as an Ingress contains it. */
export const pattern = (path: string): string =>
  path === '/' ? '/ns/app(?:/(.*))?$' : `/ns/app/(${path.slice(1)}(?:/.*)?)$`;

/** Models the controller: the longest matching pattern wins; precedence decides between equal patterns. */
export function openRouter() {
  const known = new Map<string, Map<string, boolean>>();
  const isMatch = (path: string, request: string): boolean => {
    const matches = known.get(request) ?? new Map<string, boolean>();
    known.set(request, matches);
    const match = matches.get(path) ?? new RegExp(`^${path}`).test(`/ns/app${request}`);
    matches.set(path, match);
    return match;
  };
  return (state: State, request: string): RouterScopes => {
    let best: { readonly ingress: Ingress; readonly path: string } | undefined;
    for (const ingress of state) {
      for (const path of ingress.paths) {
        if (best !== undefined && path.length < best.path.length) continue;
        if (!isMatch(path, request)) continue;
        if (best?.path.length === path.length && !precedes(ingress, best.ingress)) continue;
        best = { ingress, path };
      }
    }
    return best?.ingress.scopes;
  };
}

const precedes = (a: Ingress, b: Ingress): boolean =>
  a.precedence === b.precedence ? a.name > b.name : a.precedence > b.precedence;

export const nameOf = (scopes: readonly string[]): string =>
  `app-${scopes.length === 0 ? 'public' : scopes.join('-')}`;

export const isPublic = (name: string): boolean => name === 'app-public';

const scopesOf = (name: string): readonly string[] =>
  isPublic(name) ? [] : name.split('-').slice(1);

/** Returns the desired Ingresses of a list of endpoints. */
export function gatesOf(endpoints: Endpoints): readonly DesiredPaths[] {
  const groups = Map.groupBy(Object.entries(endpoints), ([, scopes]) => nameOf(scopes));
  return [...groups].map(([name, group]) => ({
    name,
    isPublic: isPublic(name),
    paths: group.map(([path]) => pattern(path)).toSorted(),
  }));
}

/** Builds an Ingress with the scopes in its name; the greatest rank serves a path in several. */
export const ingress = (name: string, paths: readonly string[], rank = 0): Ingress => ({
  name,
  scopes: scopesOf(name),
  paths,
  precedence: String(rank),
  precedenceOf: () => String(rank),
  deleting: false,
});

/** Lets a new Ingress precede or follow existing ones, depending on its name. */
const rankOfNew = (name: string): number => (name.includes('u') ? 9 : -1);

/** Returns the state after a step. */
export function perform(state: State, step: ExposureStep): State {
  const live = state.find(({ name }) => name === step.name);
  if (step.verb === 'wait') throw new Error(`${step.name} must not be written`);
  const others = state.filter(({ name }) => name !== step.name);
  const isLosing = step.verb === 'apply' && step.paths.every((path) => live?.paths.includes(path));
  if (live?.deleting && !isLosing) throw new Error(`${step.name} is being deleted`);
  if (step.verb === 'delete') return others;
  if (step.paths.length === 0 && live === undefined)
    throw new Error(`${step.name} would be created without a path`);
  const base = live ?? ingress(step.name, [], rankOfNew(step.name));
  return [...others, { ...base, paths: step.paths }];
}

/** Deletes an Ingress that a finalizer keeps. */
export const lingering = (state: State, name: string): State =>
  state.map((one) => (one.name === name ? { ...one, deleting: true } : one));

export const without = (state: State, name: string): State =>
  state.filter((one) => one.name !== name);
