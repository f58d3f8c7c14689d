/** How changes that only the code of a kind causes are spread. */
export interface RolloutPolicy {
  /** How many of `resources` may be changed at a time. */
  readonly budget: (resources: number) => number;
  /** How long a changed resource may take until it is Ready, in milliseconds. */
  readonly timeoutMs: number;
  /** How many may fail before no further one is begun. */
  readonly failures: number;
}

/**
 * How many of a number of resources `5` or `10%` are: at least one unless it is zero. Undefined for other
 * text.
 */
export function countOrPercentage(text: string): ((resources: number) => number) | undefined {
  const [, digits, percent] = /^(\d{1,9})(%?)$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const value = Number(digits);
  if (percent === '') return () => value;
  // A percentage of few resources would round to none.
  return (resources) => Math.max(Math.sign(value), Math.floor((resources * value) / 100));
}

/** How many resources may be changed at a time; undefined where it is none, more than all, or no text of this form. */
export function rolloutBudget(text: string): ((resources: number) => number) | undefined {
  const budget = countOrPercentage(text);
  const isPercentage = text.endsWith('%');
  if (budget === undefined || budget(100) === 0 || (isPercentage && budget(100) > 100))
    return undefined;
  return budget;
}
