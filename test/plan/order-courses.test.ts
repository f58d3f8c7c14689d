import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type DesiredPaths, exposureSteps } from '../../shared/plan/exposure/order.ts';
import { stride } from '../properties/runs.ts';
import { openRuns, type Plan } from '../support/exposure-runs.ts';
import {
  type Endpoints,
  gatesOf,
  type Ingress,
  ingress,
  nameOf,
  pattern,
  type State,
} from '../support/router.ts';

const none: readonly string[] = [];
const sets = [none, ['u'], ['v'], ['u', 'v']];

/** Returns all lists of up to `most` endpoints. */
function listsOf(paths: readonly string[], scopes: typeof sets, most = paths.length) {
  let lists: readonly Endpoints[] = [{}];
  for (const path of paths) {
    lists = lists.flatMap((list) => {
      if (Object.keys(list).length === most) return [list];
      return [list, ...scopes.map((set) => ({ ...list, [path]: set }))];
    });
  }
  return lists.map(gatesOf);
}

const ordersOf = <T>(items: readonly T[]): readonly (readonly T[])[] =>
  items.length < 2
    ? [items]
    : items.flatMap((first, at) =>
        ordersOf(items.toSpliced(at, 1)).map((others) => [first, ...others]),
      );

const ranked = (gates: readonly DesiredPaths[]): State =>
  gates.map(({ name, paths }, rank) => ingress(name, paths, rank));

/** Returns the Ingresses of a list in every order of precedence. */
const livesOf = (list: readonly DesiredPaths[]): readonly State[] => ordersOf(list).map(ranked);

/** Puts every path into any of the Ingresses, in every order of precedence, with at most one of them being deleted. */
function anyLives(paths: readonly string[], names: readonly string[]): readonly State[] {
  let filled = names.map(
    (name) => [{ name, paths: none, isPublic: false }] as readonly DesiredPaths[],
  );
  for (const path of paths.map(pattern)) {
    filled = filled.map((gates) =>
      gates.flatMap((gate) => [gate, { ...gate, paths: [...gate.paths, path] }]),
    );
  }
  const worlds = filled.reduce<readonly (readonly DesiredPaths[])[]>(
    (all, gates) => all.flatMap((world) => gates.map((gate) => [...world, gate])),
    [[]],
  );
  return worlds
    .map((world) => world.filter((gate) => gate.paths.length > 0))
    .flatMap(livesOf)
    .flatMap((live) => [live, ...live.map((_, at) => live.with(at, deleted(live[at]!)))]);
}

const deleted = (one: Ingress): Ingress => ({ ...one, deleting: true });

interface Universe {
  readonly reason: string;
  readonly paths: readonly string[];
  readonly starts: readonly State[];
  readonly lists: readonly (readonly DesiredPaths[])[];
  readonly worlds: number;
}

const chain = ['/', '/a', '/a/b'];
const fork = ['/', '/a', '/a/b', '/c'];
const universes: readonly Universe[] = [
  {
    reason: 'from every list of three nested paths to every other',
    paths: chain,
    starts: listsOf(chain, sets).map(ranked),
    lists: listsOf(chain, sets),
    worlds: 15_625,
  },
  {
    reason: 'from every pair of four paths, in every order of precedence, to every other',
    paths: fork,
    starts: listsOf(fork, [none, ['u'], ['u', 'v']], 2).flatMap(livesOf),
    lists: listsOf(fork, [none, ['u'], ['u', 'v']], 2),
    worlds: 6_901,
  },
  {
    reason: 'from any state of two paths in three Ingresses after crashes, edits and deletions',
    paths: ['/', '/a'],
    starts: anyLives(['/', '/a'], ['app-public', 'app-u', 'app-v']),
    lists: listsOf(['/', '/a'], [none, ['u'], ['u', 'v']]),
    worlds: 13_264,
  },
];

/** Tries one world in `part`; each run of the tests tries others. */
const part = stride ** 2;

describe('G-3 no request is admitted with fewer scopes than both lists require', () => {
  const run = openRuns();

  test.each(universes)('$reason', ({ paths, starts, lists, worlds }) => {
    let found = 0;
    const offset = Date.now();
    for (const start of starts) {
      for (const desired of lists) {
        found++;
        if ((found + offset) % part > 0) continue;
        const { leaks, astray } = run({ requests: paths, start, desired });
        if (leaks.length + astray.length > 0)
          expect({ start, desired, leaks, astray }).toBe('safe');
      }
    }
    expect(found).toBe(worlds);
  });

  test('from any state of four Ingresses and six paths', () => {
    const paths = ['/', '/a', '/a/b', '/a/b/c', '/ab', '/c'];
    const start = fc.tuple(...sets.map((set) => anyIngress(nameOf(set), paths)));
    const list = fc.dictionary(fc.constantFrom(...paths), fc.constantFrom(...sets));
    fc.assert(
      fc.property(start, list, (some, endpoints) => {
        const live = some.filter((one) => one.paths.length > 0);
        const journey = { requests: paths, start: live, desired: gatesOf(endpoints) };
        expect(run(journey)).toMatchObject({ leaks: [], astray: [] });
      }),
      { numRuns: 200 },
    );
  });

  test('from any state, while some Ingresses cannot be written', () => {
    const paths = ['/', '/a', '/a/b', '/a/b/c', '/ab', '/c'];
    const names = sets.map(nameOf);
    const start = fc.tuple(...names.map((name) => anyIngress(name, paths)));
    const list = fc.dictionary(fc.constantFrom(...paths), fc.constantFrom(...sets));
    const some = fc.subarray(names, { minLength: 1 });
    fc.assert(
      fc.property(start, list, some, (ingresses, endpoints, stuck) => {
        const live = ingresses.filter((one) => one.paths.length > 0);
        const plan: Plan = (state, desired) => exposureSteps(state, desired, new Set(stuck));
        const journey = { requests: paths, start: live, desired: gatesOf(endpoints), plan };
        expect(run(journey).leaks).toEqual([]);
        const written = plan(live, journey.desired).filter(({ verb }) => verb !== 'wait');
        expect(written.filter(({ name }) => stuck.includes(name))).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});

/** Uses three ranks for four Ingresses, so that two have the same rank. */
const anyIngress = (name: string, paths: readonly string[]): fc.Arbitrary<Ingress> =>
  fc
    .record({
      held: fc.subarray(paths.map(pattern)),
      rank: fc.nat({ max: 2 }),
      deleting: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
    })
    .map(({ held, rank, deleting }) => ({ ...ingress(name, held, rank), deleting }));
