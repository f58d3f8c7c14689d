/** The limits of a rollout, which changes resources only because the code of their kind has changed. */
export interface RolloutPolicy {
  /** Returns how many of `resources` may change at a time. */
  readonly budget: (resources: number) => number;
  /** Time within which a changed resource must become Ready. */
  readonly timeoutMs: number;
  /** Number of failed resources beyond which the rollout halts. */
  readonly failures: number;
}

/**
 * Parses a number such as `5` or a percentage such as `10%`. Returns a function from a number of resources to a count;
 * undefined for any other string. A percentage above zero gives a count of at least one.
 */
export function countOrPercentage(text: string): RolloutPolicy['budget'] | undefined {
  const [, digits, percent] = /^(\d{1,9})(%?)$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const value = Number(digits);
  if (percent === '') return () => value;
  return (resources) => Math.max(Math.sign(value), Math.floor((resources * value) / 100));
}

/** Like `countOrPercentage`, for a rollout budget: refuses zero and more than 100%. */
export function rolloutBudget(text: string): RolloutPolicy['budget'] | undefined {
  const budget = countOrPercentage(text);
  const most = text.endsWith('%') ? 100 : Number.POSITIVE_INFINITY;
  return budget && budget(100) > 0 && budget(100) <= most ? budget : undefined;
}
