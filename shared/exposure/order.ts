import { PathTree } from './path-tree.ts';
import { servedPathOf } from './served-path.ts';

/** The paths that one object exposes; its name stands for one fixed set of scopes. */
export interface ObjectPaths {
  readonly name: string;
  readonly paths: readonly string[];
}

export interface WantedPaths extends ObjectPaths {
  /** It requires no scopes. */
  readonly isPublic: boolean;
}

export interface LivePaths extends ObjectPaths {
  /** Of two objects with one path the one with the greater text answers. */
  readonly precedence: string;
  /** The same by path, for an object whose paths have different ones. */
  readonly precedences?: ReadonlyMap<string, string>;
  /** It may disappear at any moment, and can lose paths but gain none. */
  readonly deleting: boolean;
}

/**
 * One locked write of one object, an `apply` without paths only of one that is being deleted; `wait`
 * is one that cannot be written as required.
 */
export type ExposureStep = { readonly name: string } & (
  | { readonly verb: 'apply'; readonly paths: readonly string[] }
  | { readonly verb: 'delete' }
  | { readonly verb: 'wait' }
);

/**
 * The order of writes that leads from the live objects to the wanted ones and fails closed.
 *
 * Flow: protected exposures, deepest path first; withdrawals, shallowest first and of one path the
 * object that answers last; public exposures, deepest first
 * (before the withdrawals where these would leave the public object without a path, so that it stays).
 * What cannot be written (of an object in `unwritable`, an exposure by one that is being deleted) is left
 * out, and so is what comes later for the same requests; but a path is withdrawn nevertheless where
 * nothing else answers for it. The objects of which something is left out come last, as a `wait`.
 * Neighbouring moves of one object are one write, which only skips states that are safe.
 * Guarantees: after every step each request is refused, or needs at least the scopes that the
 * live or that the wanted objects require; from any live state, so also where a run was cut off:
 * the moves that concern one request are the first ones of the order without gaps, and withdrawals
 * that let it fall to nothing. Time in proportion to the paths, but for sorting.
 * Caveats: a step that fails, or a deletion that lingers, ends the run: nothing after it may be done.
 * A path below another has to have more slashes.
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
    steps.push(write(name, { held: exposed.heldBy(name), want, isLeaving: isLeaving(name) }));
    if (isLeaving(name)) waiting.add(name);
  }
  return [...steps, ...[...waiting].map((name): ExposureStep => ({ verb: 'wait', name }))];
}

const byName = <P extends ObjectPaths>(all: readonly P[]): ReadonlyMap<string, P> =>
  new Map(all.map((one) => [one.name, one]));

/** One path exposed by, or withdrawn from, one object; `tidy` changes a text and no path. */
interface Move {
  readonly verb: 'expose' | 'withdraw' | 'tidy';
  readonly name: string;
  readonly path: string;
  /** Moves of equal rank may come in any order. */
  readonly rank: readonly [phase: number, depth: number, turn: number];
}

/** What is exposed as the moves are made, and what was left out. */
function trackExposed(live: readonly LivePaths[]) {
  const held = new Map(live.map(({ name, paths }) => [name, new Set(paths)]));
  const heldBy = (name: string): Set<string> => {
    const paths = held.get(name) ?? new Set();
    held.set(name, paths);
    return paths;
  };
  // Computed once something is left out, which is rare.
  let trees: { readonly exposed: PathTree; readonly missed: PathTree } | undefined;
  const isFree = (path: string): boolean => trees?.missed.overlaps(path) !== true;
  return {
    heldBy,
    leaveOut({ verb, path }: Move): void {
      if (verb === 'tidy') return;
      trees ??= { exposed: treeOf(held.values()), missed: new PathTree() };
      trees.missed.add(path);
    },
    /** Makes a move, if that is safe and leaves a path to an object that is to stay. */
    take({ verb, name, path }: Move, isKept: boolean): boolean {
      if (verb === 'tidy') return true;
      const paths = heldBy(name);
      if (verb === 'expose') {
        if (!isFree(path)) return false;
        trees?.exposed.add(path);
        paths.add(path);
        return true;
      }
      if (isKept && paths.size === 1) return false;
      trees?.exposed.remove(path);
      if (isFree(path) || trees?.exposed.hasAtOrAbove(path) === false) return paths.delete(path);
      trees?.exposed.add(path);
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

/** A path that is not of our form may serve the requests of any other: it is withdrawn first. */
const depth = (path: string): number =>
  path.split('/').length - (servedPathOf(path) === undefined ? beforeOurs : 0);

/** More slashes than any path has. */
const beforeOurs = 1_000_000;

/** Paths of an object that is being deleted will be gone, so they count as not exposed. */
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
        ({ object: { name } }, beaten): Move => ({
          ...{ verb: 'withdraw', name, path },
          rank: [phases.withdraw, depth(path), beaten],
        }),
      ),
  );
}

function takesPrecedence(a: LivePaths, b: LivePaths, path: string): boolean {
  const [one, other] = [a, b].map((one) => one.precedences?.get(path) ?? one.precedence);
  return one === other ? a.name > b.name : (one ?? '') > (other ?? '');
}

/** The right paths in another text than the wanted one, and unwanted objects without paths. */
const tidying = (
  live: readonly LivePaths[],
  wants: ReadonlyMap<string, ObjectPaths>,
): readonly Move[] =>
  live
    .filter(({ name, paths }) => {
      const want = wants.get(name)?.paths ?? [];
      return isSameSet(paths, want) && (want.length === 0 || !isSameText(paths, want));
    })
    .map(({ name }) => ({ verb: 'tidy', name, path: '', rank: [phases.tidy, 0, 0] }));

/**
 * The moves by rank, those of one object together, in an order in which the object that comes last
 * in one rank comes first in the next, where there is such a one. What waits comes last in its rank.
 */
function turns(moves: readonly Move[], isFixed: (name: string) => boolean) {
  const ranks = [...Map.groupBy(moves.toSorted(byRank), ({ rank }) => rank.join()).values()].map(
    (rank) => Map.groupBy(rank, ({ name }) => name),
  );
  let last: string | undefined;
  return ranks.flatMap((rank, at) => {
    const place = (name: string): number => {
      if (isFixed(name)) return 3;
      if (name === last) return 0;
      return ranks[at + 1]?.has(name) ? 2 : 1;
    };
    const names = [...rank.keys()].toSorted((a, b) => place(a) - place(b) || (a < b ? -1 : 1));
    last = names.at(-1);
    return names.map((name) => ({ name, moves: rank.get(name) ?? [] }));
  });
}

const byRank = ({ rank: a }: Move, { rank: b }: Move): number =>
  a[0] - b[0] || a[1] - b[1] || a[2] - b[2];

interface Writing {
  readonly held: ReadonlySet<string>;
  readonly want: readonly string[];
  readonly isLeaving: boolean;
}

/** The same set of paths always is the same text. */
function write(name: string, { held, want, isLeaving }: Writing): ExposureStep {
  if (held.size === 0 && !isLeaving) return { verb: 'delete', name };
  const paths = [...held];
  return { verb: 'apply', name, paths: isSameSet(paths, want) ? want : paths.toSorted() };
}

const isSameSet = (a: readonly string[], b: readonly string[]): boolean =>
  new Set(a).symmetricDifference(new Set(b)).size === 0;

const isSameText = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((path, at) => path === b[at]);
