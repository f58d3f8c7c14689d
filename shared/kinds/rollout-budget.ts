/** The limits for rolling out a kind's new code. */
export interface RolloutPolicy {
  /** Returns how many of `resources` may change at a time. */
  readonly budget: (resources: number) => number;
  /** The time in which a changed resource must become Ready. */
  readonly timeoutMs: number;
  /** The rollout halts if more resources than this have failed. */
  readonly failures: number;
}

/** Parses a number or a percentage such as `10%`. A percentage above zero gives at least one. */
export function countOrPercentage(text: string): RolloutPolicy['budget'] | undefined {
  const [, digits, percent] = /^(\d{1,9})(%?)$/.exec(text) ?? [];
  if (digits === undefined) return undefined;
  const value = Number(digits);
  if (percent === '') return () => value;
  return (resources) => Math.max(Math.sign(value), Math.floor((resources * value) / 100));
}

/** Parses like `countOrPercentage`, but also returns undefined for zero and for more than 100%. */
export function rolloutBudget(text: string): RolloutPolicy['budget'] | undefined {
  const budget = countOrPercentage(text);
  const most = text.endsWith('%') ? 100 : Number.POSITIVE_INFINITY;
  return budget && budget(100) > 0 && budget(100) <= most ? budget : undefined;
}
