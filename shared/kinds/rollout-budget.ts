/** Limits how fast changes that only a kind's code causes spread over its resources. */
export interface RolloutPolicy {
  /** Returns how many of `resources` may change at a time. */
  readonly budget: (resources: number) => number;
  /** Time in milliseconds within which a changed resource must become Ready. */
  readonly timeoutMs: number;
  /** Failed resources that are tolerated: one more halts the rollout. */
  readonly failures: number;
}

/**
 * Parses `5` or `10%` and returns a function from the number of resources to a count, which is at least one
 * unless the text is zero. Undefined for any other text.
 */
export function countOrPercentage(text: string): ((resources: number) => number) | undefined {
  const [, digits, percent] = /^(\d{1,9})(%?)$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const value = Number(digits);
  if (percent === '') return () => value;
  // A percentage of few resources would round to none.
  return (resources) => Math.max(Math.sign(value), Math.floor((resources * value) / 100));
}

/** Parses a rollout budget; undefined for any other text, and if it allows no resource or more than all. */
export function rolloutBudget(text: string): ((resources: number) => number) | undefined {
  const budget = countOrPercentage(text);
  const isPercentage = text.endsWith('%');
  if (budget === undefined || budget(100) === 0 || (isPercentage && budget(100) > 100))
    return undefined;
  return budget;
}
