import { mayServe, servedPathOf } from './served-path.ts';

/** The paths of one object. Assumes that live and desired objects of one name require the same authorization. */
interface ObjectPaths {
  readonly name: string;
  readonly paths: readonly string[];
}

export interface DesiredPaths extends ObjectPaths {
  readonly isPublic: boolean;
}

export interface LivePaths extends ObjectPaths {
  /** Of several objects with the same path, the object with the greatest precedence serves the requests. */
  readonly precedenceOf: (path: string) => string;
  /** True if the object is being deleted. It can lose paths. It must gain none, because it can vanish at any time. */
  readonly deleting: boolean;
}

/** `apply` without paths: the object stays, but exposes nothing. `wait`: the object cannot be written as desired. */
export type ExposureStep = { readonly name: string } & (
  | { readonly verb: 'apply'; readonly paths: readonly string[] }
  | { readonly verb: 'delete' }
  | { readonly verb: 'wait' }
);

/**
 * Orders the writes from the live objects to the desired objects, so that the writes fail closed.
 *
 * Flow: a move exposes or withdraws one path of one object. The order of the moves:
 * 1. Exposures by protected objects, deepest path first.
 * 2. Withdrawals, shallowest path first. Of several objects with the same path, the one that serves the requests comes
 *    last.
 * 3. Exposures by public objects, deepest path first. But an object that keeps none of its live paths exposes new paths
 *    before the withdrawals, so that it is never without a path while other objects and children are written.
 *
 * A move is skipped if its object is `unwritable`, or is being deleted and would gain a path. Later moves that affect
 * the same requests are also skipped, except withdrawals after which nothing serves the path. For example, while a
 * protected `/shop/admin` cannot be exposed, a public `/shop` is not exposed either. Each object with skipped moves gets
 * a step `wait` at the end.
 *
 * Consecutive moves of one object become one write. This is safe because the states in between would be safe, too.
 * Undesired objects without paths are deleted at the end. A desired object without moves gets no step.
 *
 * Guarantees: after every step, each request is refused, or needs at least the scopes that the live objects or the
 * desired objects require. This holds from any live state, even after an interrupted run.
 *
 * Caveats: after a failed step, or until a deleted object is gone, take no later step. A path below another path must
 * have more slashes.
 */
export function exposureSteps(
  live: readonly LivePaths[],
  desired: readonly DesiredPaths[],
  unwritable: ReadonlySet<string> = new Set(),
): readonly ExposureStep[] {
  const lives = byName(live);
  const wants = byName(desired);
  const isLeaving = (name: string): boolean => lives.get(name)?.deleting === true;
  const isFixed = (name: string): boolean => unwritable.has(name) || isLeaving(name);
  const moves = [
    ...additions(desired, (name) => (isFixed(name) ? [] : (lives.get(name)?.paths ?? []))),
    ...withdrawals(live, wants),
  ];
  // Within a rank, moves that may be skipped come last, so that they hold up no other move.
  const isLast = ({ name }: Move): number => Number(isFixed(name));
  moves.sort((a, b) => byRank(a, b) || isLast(a) - isLast(b) || (a.name < b.name ? -1 : 1));
  const exposed = trackExposed(live);
  const waiting = new Set<string>();
  const made = moves.filter((move) => {
    const { verb, name } = move;
    const isWritable = !unwritable.has(name) && (verb === 'withdraw' || !isLeaving(name));
    const isMade = isWritable && exposed.take(move);
    if (!isMade) exposed.leaveOut(move);
    if (!isMade || isLeaving(name)) waiting.add(name);
    return isMade;
  });
  const written = trackExposed(live);
  const steps = made.flatMap((move, at): ExposureStep | readonly ExposureStep[] => {
    written.take(move);
    const { name } = move;
    if (made[at + 1]?.name === name) return [];
    const paths = written.pathsOf(name);
    const want = wants.get(name)?.paths;
    if (want !== undefined && isSameSet(paths, want)) return { verb: 'apply', name, paths: want };
    const isGone = paths.length === 0 && want === undefined && !isLeaving(name);
    return isGone ? { verb: 'delete', name } : { verb: 'apply', name, paths: paths.toSorted() };
  });
  const empty = live.filter(({ name, paths }) => paths.length === 0 && !wants.has(name));
  for (const { name } of empty)
    if (isFixed(name)) waiting.add(name);
    else steps.push({ verb: 'delete', name });
  return [...steps, ...[...waiting].map((name): ExposureStep => ({ verb: 'wait', name }))];
}

const byName = <P extends ObjectPaths>(all: readonly P[]): ReadonlyMap<string, P> =>
  new Map(all.map((one) => [one.name, one]));

/** Exposes or withdraws one HTTP path of one object, such as an Ingress. */
interface Move {
  readonly verb: 'expose' | 'withdraw';
  readonly name: string;
  readonly path: string;
  /** Moves are made in the order of their ranks. Moves of the same rank are safe in any order. */
  readonly rank: readonly [phase: number, depth: number, place: number];
}

function trackExposed(live: readonly LivePaths[]) {
  /** Maps each object's name to its patterns, and each pattern to the path that `servedPathOf` returns. */
  const held = new Map(
    live.map(({ name, paths }) => [name, new Map(paths.map((one) => [one, servedPathOf(one)]))]),
  );
  const missed: (string | undefined)[] = [];
  const heldBy = (name: string) => {
    const paths = held.get(name) ?? new Map();
    held.set(name, paths);
    return paths;
  };
  return {
    pathsOf: (name: string): readonly string[] => [...heldBy(name).keys()],
    leaveOut({ path }: Move): void {
      missed.push(servedPathOf(path));
    },
    /** Makes the move if it is safe; otherwise returns false. */
    take({ verb, name, path }: Move): boolean {
      const paths = heldBy(name);
      const served = servedPathOf(path);
      const isAffected = missed.some((one) => mayServe(one, served) || mayServe(served, one));
      if (verb === 'expose') {
        if (!isAffected) paths.set(path, served);
        return !isAffected;
      }
      paths.delete(path);
      const isServing = (one: string | undefined): boolean => mayServe(one, served);
      if (!isAffected || !held.values().some((all) => all.values().some(isServing))) return true;
      paths.set(path, served);
      return false;
    },
  };
}

const phases = { protect: 0, keep: 1, withdraw: 2, open: 3 };

/** Treats a path of unknown form as the shallowest, because it may serve any request. */
const depth = (path: string): number =>
  path.split('/').length - (servedPathOf(path) === undefined ? withdrawnFirst : 0);

const withdrawnFirst = 1_000_000;

/** `lasting` returns an object's live paths; none if the object is unwritable or being deleted. */
const additions = (
  desired: readonly DesiredPaths[],
  lasting: (name: string) => readonly string[],
): readonly Move[] =>
  desired.flatMap(({ name, isPublic, paths }) => {
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
    return [...new Set(object.paths).difference(kept)].map((path) => ({ object, path }));
  });
  return [...Map.groupBy(leaving, ({ path }) => path)].flatMap(([path, ofPath]) =>
    ofPath
      .toSorted((a, b) => (takesPrecedence(a.object, b.object, path) ? 1 : -1))
      .map(({ object: { name } }, place): Move => {
        const rank = [phases.withdraw, depth(path), place] as const;
        return { verb: 'withdraw', name, path, rank };
      }),
  );
}

function takesPrecedence(a: LivePaths, b: LivePaths, path: string): boolean {
  const [one, other] = [a.precedenceOf(path), b.precedenceOf(path)];
  return one === other ? a.name > b.name : one > other;
}

const byRank = ({ rank: a }: Move, { rank: b }: Move): number =>
  a[0] - b[0] || a[1] - b[1] || a[2] - b[2];

const isSameSet = (a: readonly string[], b: readonly string[]): boolean =>
  new Set(a).symmetricDifference(new Set(b)).size === 0;
