/** Limits how many resources change at a time when only their kind's code has changed. */
export interface RolloutPolicy {
  /** Returns how many of `resources` may change at a time. */
  readonly budget: (resources: number) => number;
  /** Milliseconds within which a changed resource must become Ready. */
  readonly timeoutMs: number;
  /** Number of failed resources that are tolerated; one more halts the rollout. */
  readonly failures: number;
}

/**
 * Parses `5` or `10%` into a function from a number of resources to a count; undefined for any other text.
 * The count is at least one, unless the text is zero.
 */
export function countOrPercentage(text: string): ((resources: number) => number) | undefined {
  const [, digits, percent] = /^(\d{1,9})(%?)$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const value = Number(digits);
  if (percent === '') return () => value;
  // Without the minimum of one, 10% of five resources would be none.
  return (resources) => Math.max(Math.sign(value), Math.floor((resources * value) / 100));
}

/** Parses a rollout budget, such as `5` or `10%`; undefined for any other text, for zero and for more than 100%. */
export function rolloutBudget(text: string): ((resources: number) => number) | undefined {
  const budget = countOrPercentage(text);
  const isPercentage = text.endsWith('%');
  if (budget === undefined || budget(100) === 0 || (isPercentage && budget(100) > 100))
    return undefined;
  return budget;
}
