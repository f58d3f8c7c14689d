/**
 * One Ingress: the paths it answers, as the texts that stand in it. Its name stands for one fixed set
 * of scopes.
 */
export interface Gate {
  readonly name: string;
  readonly paths: readonly string[];
}

export interface WantedGate extends Gate {
  /** It asks for no scopes at all. */
  readonly isPublic: boolean;
}

export interface LiveGate extends Gate {
  /** Of two Ingresses with one path the one with the greater text answers. */
  readonly precedence: string;
  /** The same by path, where the paths of one Ingress differ in it. */
  readonly precedences?: ReadonlyMap<string, string>;
  readonly deleting: boolean;
}

/** One locked write of one Ingress; `wait` is one that cannot be written, since it is being deleted. */
export type ExposureStep = { readonly name: string } & (
  | { readonly verb: 'apply'; readonly paths: readonly string[] }
  | { readonly verb: 'delete' }
  | { readonly verb: 'wait' }
);

/**
 * The order of writes that leads from the live Ingresses to the wanted ones and fails closed.
 *
 * Flow: protected exposures, deepest path first; withdrawals, shallowest first and of one path the
 * Ingress that answers last; public exposures, deepest first
 * (before the withdrawals where these would leave the public Ingress without a path, so that it stays).
 * Neighbouring moves of one Ingress are one write, which only skips states that are safe.
 * Guarantees: after every step each request is refused, or asked for at least the scopes that the
 * live or that the wanted Ingresses ask of it; from any live state, so also where a run was cut off.
 * Caveats: a step that fails, or a deletion that lingers, ends the run: nothing after it may be done.
 * A `wait` is therefore the last step there is. A path below another has to have more slashes.
 */
export function exposureSteps(
  live: readonly LiveGate[],
  wanted: readonly WantedGate[],
): readonly ExposureStep[] {
  const moves = [
    ...exposures(live, wanted),
    ...withdrawals(live, wanted),
    ...tidying(live, wanted),
  ];
  const isDeleting = (name: string): boolean =>
    live.some((gate) => gate.name === name && gate.deleting);
  const paths = new Map(live.map((gate) => [gate.name, new Set(gate.paths)]));
  const steps: ExposureStep[] = [];
  for (const { name, moves: turn } of turns(moves, isDeleting)) {
    if (isDeleting(name)) return [...steps, { verb: 'wait', name }];
    const held = paths.get(name) ?? new Set();
    for (const { verb, path } of turn) {
      if (verb === 'expose') held.add(path);
      if (verb === 'withdraw') held.delete(path);
    }
    paths.set(name, held);
    if (steps.at(-1)?.name === name) steps.pop();
    steps.push(write(name, held, pathsOf(wanted, name)));
  }
  return steps;
}

/** One path exposed by, or withdrawn from, one Ingress; `tidy` changes a text and no path. */
interface Move {
  readonly verb: 'expose' | 'withdraw' | 'tidy';
  readonly name: string;
  readonly path: string;
  /** Moves of equal rank may come in any order. */
  readonly rank: readonly [phase: number, depth: number, turn: number];
}

const phases = { protect: 0, keep: 1, withdraw: 2, open: 3, tidy: 4 };

const depth = (path: string): number => path.split('/').length;

const pathsOf = (gates: readonly Gate[], name: string): readonly string[] =>
  gates.find((gate) => gate.name === name)?.paths ?? [];

/** What an Ingress that is being deleted exposes will be gone, so it counts as not exposed. */
function exposures(live: readonly LiveGate[], wanted: readonly WantedGate[]): readonly Move[] {
  const lasting = live.filter(({ deleting }) => !deleting);
  return wanted.flatMap(({ name, isPublic, paths }) => {
    const held = pathsOf(lasting, name);
    const losesAll = held.length > 0 && !held.some((path) => paths.includes(path));
    const open = losesAll ? phases.keep : phases.open;
    const phase = isPublic ? open : phases.protect;
    return paths
      .filter((path) => !held.includes(path))
      .map((path): Move => ({ verb: 'expose', name, path, rank: [phase, -depth(path), 0] }));
  });
}

function withdrawals(live: readonly LiveGate[], wanted: readonly WantedGate[]): readonly Move[] {
  const kept = new Map(wanted.map(({ name, paths }) => [name, new Set(paths)]));
  // As sets: somebody may have put thousands of paths into an Ingress.
  const leaving = live.map((gate) => ({
    gate,
    paths: new Set(gate.paths.filter((path) => kept.get(gate.name)?.has(path) !== true)),
  }));
  return leaving.flatMap(({ gate, paths }) =>
    [...paths].map((path): Move => {
      const beaten = leaving.filter(
        (other) => other.paths.has(path) && winsOver(gate, other.gate, path),
      );
      const rank = [phases.withdraw, depth(path), beaten.length] as const;
      return { verb: 'withdraw', name: gate.name, path, rank };
    }),
  );
}

function winsOver(a: LiveGate, b: LiveGate, path: string): boolean {
  const [one, other] = [a, b].map((gate) => gate.precedences?.get(path) ?? gate.precedence);
  return one === other ? a.name > b.name : (one ?? '') > (other ?? '');
}

/** The right paths in another text than the wanted one, and an unwanted Ingress without any. */
function tidying(live: readonly LiveGate[], wanted: readonly WantedGate[]): readonly Move[] {
  return live
    .filter(({ name, paths }) => {
      const want = pathsOf(wanted, name);
      return isSameSet(paths, want) && (want.length === 0 || !isSameText(paths, want));
    })
    .map(({ name }) => ({ verb: 'tidy', name, path: '', rank: [phases.tidy, 0, 0] }));
}

/**
 * The moves by rank, those of one Ingress together, in an order in which the Ingress that comes last
 * in one rank comes first in the next, where there is such a one. What waits comes last in its rank.
 */
function turns(moves: readonly Move[], isDeleting: (name: string) => boolean) {
  const ranks = [...Map.groupBy(moves.toSorted(byRank), ({ rank }) => rank.join()).values()];
  let last: string | undefined;
  return ranks.flatMap((rank, at) => {
    const place = (name: string): number => {
      if (isDeleting(name)) return 3;
      if (name === last) return 0;
      return ranks[at + 1]?.some((next) => next.name === name) ? 2 : 1;
    };
    const names = [...new Set(rank.map(({ name }) => name))].toSorted(
      (a, b) => place(a) - place(b) || (a < b ? -1 : 1),
    );
    last = names.at(-1);
    return names.map((name) => ({ name, moves: rank.filter((move) => move.name === name) }));
  });
}

const byRank = ({ rank: a }: Move, { rank: b }: Move): number =>
  a[0] - b[0] || a[1] - b[1] || a[2] - b[2];

/** The same set of paths always is the same text. */
function write(name: string, held: ReadonlySet<string>, want: readonly string[]): ExposureStep {
  if (held.size === 0) return { verb: 'delete', name };
  const paths = [...held];
  return { verb: 'apply', name, paths: isSameSet(paths, want) ? want : paths.toSorted() };
}

const isSameSet = (a: readonly string[], b: readonly string[]): boolean =>
  new Set(a).symmetricDifference(new Set(b)).size === 0;

const isSameText = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((path, at) => path === b[at]);
