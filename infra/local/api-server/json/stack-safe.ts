/** Limit of nested calls of one function; several such functions may be on the stack, one within another. */
const maxNested = 200;

/**
 * Makes a recursive function safe for JSON nested deeper than the stack allows.
 *
 * Flow: calls nest down to a limit; a call beyond it is deferred and returns `meanwhile`. Deferred calls then run from
 * the bottom of the stack. Finally the outermost call runs once more and finds their results.
 * Guarantees: each call runs at most twice, unless it depends on the result of a deferred call. Time is linear in the
 * size of the value.
 * Caveats: `walk` must be pure, and recurse only through the returned function, with identical arguments each time: its
 * own arguments, parts of these, or constants. Results computed from `meanwhile` are discarded.
 */
export function stackSafe<Args extends readonly unknown[], Result>(
  walk: (...args: Args) => Result,
  meanwhile: Result,
): (...args: Args) => Result {
  let depth = 0;
  let deferred: Args[] = [];
  let known: Results<Result> = new Map();

  const nest = (args: Args): Result => {
    depth += 1;
    const result = walk(...args);
    depth -= 1;
    return result;
  };

  const atLimit = (args: Args): Result => {
    const found = find(known, args);
    if (found !== undefined) return found.result;
    deferred.push(args);
    return meanwhile;
  };

  /** Runs the deferred calls, those that they defer, and then the outermost call once more. */
  const settle = (outermost: Args): Result => {
    const open = [outermost, ...deferred];
    for (;;) {
      const call = open.at(-1) ?? outermost;
      if (find(known, call) === undefined) {
        deferred = [];
        const result = nest(call);
        for (const one of deferred) open.push(one);
        if (deferred.length > 0) continue;
        if (open.length === 1) return result;
        remember(known, call, result);
      }
      open.pop();
    }
  };

  const begin = (args: Args): Result => {
    deferred = [];
    try {
      const result = nest(args);
      return deferred.length === 0 ? result : settle(args);
    } finally {
      // An error ends calls before they count down.
      depth = 0;
      if (known.size > 0) known = new Map();
    }
  };

  return (...args) => {
    if (depth === 0) return begin(args);
    return depth < maxNested ? nest(args) : atLimit(args);
  };
}

/** Results by arguments: a map for each argument; the last map holds the result. */
type Results<Result> = Map<unknown, Results<Result> | { readonly result: Result }>;

function find<Result>(
  results: Results<Result>,
  args: readonly unknown[],
): { readonly result: Result } | undefined {
  let at: Results<Result> | { readonly result: Result } | undefined = results;
  for (const arg of args) at = at instanceof Map ? at.get(arg) : undefined;
  return at instanceof Map ? undefined : at;
}

function remember<Result>(
  results: Results<Result>,
  args: readonly unknown[],
  result: Result,
): void {
  let at = results;
  for (const arg of args.slice(0, -1)) {
    const below = at.get(arg);
    const next: Results<Result> = below instanceof Map ? below : new Map();
    at.set(arg, next);
    at = next;
  }
  at.set(args.at(-1), { result });
}
