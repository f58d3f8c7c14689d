/** A model of the Ingresses of one application, of the controller that serves them, and of runs. */

import type { ExposureStep, LivePaths, WantedPaths } from '../../shared/plan/exposure/order.ts';

/** One Ingress of an application as it is live. */
export interface Ingress extends LivePaths {
  readonly scopes: readonly string[];
}
export type State = readonly Ingress[];
export type Endpoints = Readonly<Record<string, readonly string[]>>;

/** The scopes a request is asked for; undefined where it is refused. */
export type Answer = readonly string[] | undefined;

/** A path as it stands in an Ingress. */
export const pattern = (path: string): string =>
  path === '/' ? '/ns/app(?:/(.*))?$' : `/ns/app/(${path.slice(1)}(?:/.*)?)$`;

/** The longest pattern that matches answers, and of one pattern in two Ingresses the one that precedes. */
export function openRouter() {
  const known = new Map<string, Map<string, boolean>>();
  const isMatch = (path: string, request: string): boolean => {
    const matches = known.get(request) ?? new Map<string, boolean>();
    known.set(request, matches);
    const match = matches.get(path) ?? new RegExp(`^${path}`).test(`/ns/app${request}`);
    matches.set(path, match);
    return match;
  };
  return (state: State, request: string): Answer => {
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

/** The Ingresses that a list of endpoints wants. */
export function gatesOf(endpoints: Endpoints): readonly WantedPaths[] {
  const groups = Map.groupBy(Object.entries(endpoints), ([, scopes]) => nameOf(scopes));
  return [...groups].map(([name, group]) => ({
    name,
    isPublic: isPublic(name),
    paths: group.map(([path]) => pattern(path)).toSorted(),
  }));
}

/** An Ingress of the scopes in its name; of several with one path the one of the greatest rank answers. */
export const ingress = (name: string, paths: readonly string[], rank = 0): Ingress => ({
  name,
  scopes: scopesOf(name),
  paths,
  precedence: String(rank),
  deleting: false,
});

/** A new Ingress may come before or after what is there. */
const rankOfNew = (name: string): number => (name.includes('u') ? 9 : -1);

/** What the cluster holds after a step. */
export function perform(state: State, step: ExposureStep): State {
  const live = state.find(({ name }) => name === step.name);
  if (step.verb === 'wait') throw new Error(`${step.name} is not to be written`);
  const others = state.filter(({ name }) => name !== step.name);
  const isLosing = step.verb === 'apply' && step.paths.every((path) => live?.paths.includes(path));
  if (live?.deleting && !isLosing) throw new Error(`${step.name} is being deleted`);
  if (step.verb === 'delete') return others;
  if (step.paths.length === 0 && !live?.deleting)
    throw new Error(`${step.name} would have no path`);
  const base = live ?? ingress(step.name, [], rankOfNew(step.name));
  return [...others, { ...base, paths: step.paths }];
}

/** The Ingress is deleted and stays, because a finalizer holds it. */
export const lingering = (state: State, name: string): State =>
  state.map((one) => (one.name === name ? { ...one, deleting: true } : one));

export const without = (state: State, name: string): State =>
  state.filter((one) => one.name !== name);
