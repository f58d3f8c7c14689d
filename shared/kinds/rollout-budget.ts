/** Limits rollouts: how many resources change at a time if only their kind's code has changed. */
export interface RolloutPolicy {
  /** Returns how many of `resources` may change at a time. */
  readonly budget: (resources: number) => number;
  /** Time within which a changed resource must become Ready. */
  readonly timeoutMs: number;
  /** Number of failed resources beyond which the rollout halts. */
  readonly failures: number;
}

/**
 * Parses a number such as `5` or a percentage such as `10%` into a function from a number of resources to a count,
 * which is at least one unless the text is zero. Undefined for any other text.
 */
export function countOrPercentage(text: string): ((resources: number) => number) | undefined {
  const [, digits, percent] = /^(\d{1,9})(%?)$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const value = Number(digits);
  if (percent === '') return () => value;
  return (resources) => Math.max(Math.sign(value), Math.floor((resources * value) / 100));
}

/** Like `countOrPercentage`, for a rollout budget: also undefined for zero and for more than 100%. */
export function rolloutBudget(text: string): ((resources: number) => number) | undefined {
  const budget = countOrPercentage(text);
  const isPercentage = text.endsWith('%');
  if (budget === undefined || budget(100) === 0 || (isPercentage && budget(100) > 100))
    return undefined;
  return budget;
}
