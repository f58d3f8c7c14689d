import { PathTree } from './path-tree.ts';
import { servedPathOf } from './served-path.ts';

/** The paths that one object exposes. Objects of one name always require the same scopes. */
interface ObjectPaths {
  readonly name: string;
  readonly paths: readonly string[];
}

export interface WantedPaths extends ObjectPaths {
  /** True if no scopes are required. */
  readonly isPublic: boolean;
}

export interface LivePaths extends ObjectPaths {
  /** If two objects have the same path, the one with the greater text answers. */
  readonly precedence: string;
  /** Overrides `precedence` for the paths in it. */
  readonly precedences?: ReadonlyMap<string, string>;
  /**
   * True if the object is being deleted. It may disappear at any moment, so it can lose paths but not
   * gain any.
   */
  readonly deleting: boolean;
}

/**
 * One locked write of one object. `apply` has no paths only for an object that is being deleted;
 * `wait` stands for an object that cannot be written as required.
 */
export type ExposureStep = { readonly name: string } & (
  | { readonly verb: 'apply'; readonly paths: readonly string[] }
  | { readonly verb: 'delete' }
  | { readonly verb: 'wait' }
);

/**
 * Orders the writes that lead from the live objects to the wanted ones, so that they fail closed.
 *
 * Flow: first protected exposures, deepest path first. Then withdrawals, shallowest path first, and for one
 * path the object that answers its requests last. Then public exposures, deepest first. A public object
 * that would lose every path is exposed before the withdrawals, so that it is not deleted.
 * A move that cannot be made (its object is `unwritable`, or would gain a path while it is being deleted)
 * is skipped. Later moves that concern the same requests are skipped too, except for withdrawing a path
 * whose requests no other object would answer. An object with skipped moves comes last, as `wait`.
 * Consecutive moves of one object are one write, which skips only safe states.
 * Guarantees: after every step, each request is refused or needs at least the scopes that the live objects
 * or the wanted objects require. This holds from any live state, so also after an interrupted run: for one
 * request, the moves made are a prefix of the order, followed at most by withdrawals that leave it
 * unanswered. Apart from sorting, time is linear in the number of paths.
 * Caveats: a step that fails, or a deletion that lingers, ends the run: no later step may be taken. A path
 * below another must have more slashes.
 */
export function exposureSteps(
  live: readonly LivePaths[],
  wanted: readonly WantedPaths[],
  unwritable: ReadonlySet<string> = new Set(),
): readonly ExposureStep[] {
  const lives = byName(live);
  const wants = byName(wanted);
  const isLeaving = (name: string): boolean => lives.get(name)?.deleting === true;
  const isFixed = (name: string): boolean => unwritable.has(name) || isLeaving(name);
  const moves = [
    ...exposures(wanted, (name) => (isFixed(name) ? [] : (lives.get(name)?.paths ?? []))),
    ...withdrawals(live, wants),
    ...tidying(live, wants),
  ];
  const exposed = trackExposed(live);
  const steps: ExposureStep[] = [];
  const waiting = new Set<string>();
  for (const { name, moves: turn } of turns(moves, isFixed)) {
    const want = wants.get(name)?.paths ?? [];
    const isWritable = ({ verb }: Move): boolean =>
      !unwritable.has(name) && (verb === 'withdraw' || !isLeaving(name));
    const isKept = want.length > 0 && !isLeaving(name);
    let done = 0;
    for (const move of turn)
      if (isWritable(move) && exposed.take(move, isKept)) done++;
      else exposed.leaveOut(move);
    if (done < turn.length) waiting.add(name);
    if (done === 0) continue;
    if (steps.at(-1)?.name === name) steps.pop();
    steps.push(write(name, { held: exposed.pathsOf(name), want, isLeaving: isLeaving(name) }));
    if (isLeaving(name)) waiting.add(name);
  }
  return [...steps, ...[...waiting].map((name): ExposureStep => ({ verb: 'wait', name }))];
}

const byName = <P extends ObjectPaths>(all: readonly P[]): ReadonlyMap<string, P> =>
  new Map(all.map((one) => [one.name, one]));

/** One path exposed by, or withdrawn from, one object; `tidy` changes texts but no path. */
interface Move {
  readonly verb: 'expose' | 'withdraw' | 'tidy';
  readonly name: string;
  readonly path: string;
  /** Moves are made by rank; those of equal rank in any order. */
  readonly rank: readonly [phase: number, depth: number, turn: number];
}

/** Tracks what is exposed as the moves are made, and the paths of skipped moves. */
function trackExposed(live: readonly LivePaths[]) {
  const held = new Map(live.map(({ name, paths }) => [name, new Set(paths)]));
  const pathsOf = (name: string): Set<string> => {
    const paths = held.get(name) ?? new Set();
    held.set(name, paths);
    return paths;
  };
  const exposed = treeOf(held.values());
  const missed = new PathTree();
  return {
    pathsOf,
    leaveOut({ path }: Move): void {
      missed.add(path);
    },
    /** Makes a move if it is safe and an object that must stay (`isKept`) keeps a path. */
    take({ verb, name, path }: Move, isKept: boolean): boolean {
      if (verb === 'tidy') return true;
      const paths = pathsOf(name);
      if (verb === 'expose') {
        if (missed.overlaps(path)) return false;
        exposed.add(path);
        paths.add(path);
        return true;
      }
      if (isKept && paths.size === 1) return false;
      exposed.remove(path);
      if (!missed.overlaps(path) || !exposed.hasAtOrAbove(path)) return paths.delete(path);
      exposed.add(path);
      return false;
    },
  };
}

function treeOf(bags: Iterable<Iterable<string>>): PathTree {
  const tree = new PathTree();
  for (const paths of bags) for (const path of paths) tree.add(path);
  return tree;
}

const phases = { protect: 0, keep: 1, withdraw: 2, open: 3, tidy: 4 };

/**
 * Returns the depth of a path. One that our kinds do not write may answer any request, so it counts as the
 * shallowest and is withdrawn first.
 */
const depth = (path: string): number =>
  path.split('/').length - (servedPathOf(path) === undefined ? withdrawnFirst : 0);

/** More slashes than any path has. */
const withdrawnFirst = 1_000_000;

/**
 * Returns the moves that expose paths. `lasting` returns the live paths that will stay, which are none for
 * an object that is being deleted.
 */
const exposures = (
  wanted: readonly WantedPaths[],
  lasting: (name: string) => readonly string[],
): readonly Move[] =>
  wanted.flatMap(({ name, isPublic, paths }) => {
    const held = new Set(lasting(name));
    const losesAll = held.size > 0 && !paths.some((path) => held.has(path));
    const open = losesAll ? phases.keep : phases.open;
    const phase = isPublic ? open : phases.protect;
    return paths
      .filter((path) => !held.has(path))
      .map((path): Move => ({ verb: 'expose', name, path, rank: [phase, -depth(path), 0] }));
  });

function withdrawals(
  live: readonly LivePaths[],
  wants: ReadonlyMap<string, ObjectPaths>,
): readonly Move[] {
  const leaving = live.flatMap((object) => {
    const kept = new Set(wants.get(object.name)?.paths);
    return [...new Set(object.paths)]
      .filter((path) => !kept.has(path))
      .map((path) => ({ object, path }));
  });
  return [...Map.groupBy(leaving, ({ path }) => path)].flatMap(([path, ofPath]) =>
    ofPath
      .toSorted((a, b) => (takesPrecedence(a.object, b.object, path) ? 1 : -1))
      .map(
        ({ object: { name } }, turn): Move => ({
          verb: 'withdraw',
          name,
          path,
          rank: [phases.withdraw, depth(path), turn],
        }),
      ),
  );
}

function takesPrecedence(a: LivePaths, b: LivePaths, path: string): boolean {
  const [one, other] = [precedenceOf(a, path), precedenceOf(b, path)];
  return one === other ? a.name > b.name : one > other;
}

const precedenceOf = ({ precedence, precedences }: LivePaths, path: string): string =>
  precedences?.get(path) ?? precedence;

/** Returns moves for objects with the wanted paths in other texts, and for unwanted objects without paths. */
const tidying = (
  live: readonly LivePaths[],
  wants: ReadonlyMap<string, ObjectPaths>,
): readonly Move[] =>
  live
    .filter(({ name, paths }) => {
      const want = wants.get(name)?.paths ?? [];
      const isOtherText = paths.some((path, at) => path !== want[at]);
      return isSameSet(paths, want) && (want.length === 0 || isOtherText);
    })
    .map(({ name }) => ({ verb: 'tidy', name, path: '', rank: [phases.tidy, 0, 0] }));

/**
 * Sorts the moves by rank and groups them by object. An object with moves in two consecutive ranks comes
 * last in one and first in the next, so that both become one write. Objects that cannot be written come
 * last.
 */
function turns(moves: readonly Move[], isFixed: (name: string) => boolean) {
  const ranks = [...Map.groupBy(moves.toSorted(byRank), ({ rank }) => rank.join()).values()].map(
    (rank) => Map.groupBy(rank, ({ name }) => name),
  );
  let last: string | undefined;
  return ranks.flatMap((rank, at) => {
    const positionOf = (name: string): number => {
      if (isFixed(name)) return 3;
      if (name === last) return 0;
      return ranks[at + 1]?.has(name) ? 2 : 1;
    };
    const turn = [...rank].toSorted(
      ([a], [b]) => positionOf(a) - positionOf(b) || (a < b ? -1 : 1),
    );
    last = turn.at(-1)?.[0];
    return turn.map(([name, moves]) => ({ name, moves }));
  });
}

const byRank = ({ rank: a }: Move, { rank: b }: Move): number =>
  a[0] - b[0] || a[1] - b[1] || a[2] - b[2];

interface Writing {
  readonly held: ReadonlySet<string>;
  readonly want: readonly string[];
  readonly isLeaving: boolean;
}

/** Returns the write after which an object exposes these paths. Equal sets of paths give equal lists. */
function write(name: string, { held, want, isLeaving }: Writing): ExposureStep {
  if (held.size === 0 && !isLeaving) return { verb: 'delete', name };
  const paths = [...held];
  return { verb: 'apply', name, paths: isSameSet(paths, want) ? want : paths.toSorted() };
}

const isSameSet = (a: readonly string[], b: readonly string[]): boolean =>
  new Set(a).symmetricDifference(new Set(b)).size === 0;
