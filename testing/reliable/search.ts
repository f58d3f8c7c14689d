import fc from 'fast-check';
import { Breach } from '../law.ts';

/** Shrunk as far as the time allowed. */
export interface Counterexample<Value> {
  readonly value: Value;
  readonly breach: Breach;
}

interface Effort {
  readonly seed: number;
  readonly isOver: () => boolean;
}

const shrinkMs = 10_000;

/** Returns the first smaller value that breaks the same law as `found`; if there is none, returns `found`. */
export async function narrowed<Value>(
  found: Counterexample<Value>,
  smaller: readonly Value[],
  tryOne: (value: Value) => void | Promise<void>,
): Promise<Counterexample<Value>> {
  for (const value of smaller)
    try {
      await tryOne(value);
    } catch (error) {
      if (!(error instanceof Breach)) throw error;
      if (error.law === found.breach.law) return { value, breach: error };
    }
  return found;
}

/**
 * Tries generated values, at least one, until a value breaks a law or time runs out. Shrinks a found value to a
 * smaller value that breaks the same law. The n-th value depends only on the seed.
 */
export async function search<Value>(
  values: fc.Arbitrary<Value>,
  tryOne: (value: Value) => void | Promise<void>,
  { seed, isOver }: Effort,
): Promise<Counterexample<Value> | undefined> {
  for (let at = 0; at === 0 || !isOver(); at++) {
    let found: Counterexample<Value> | undefined;
    let shrinkUntil = Number.POSITIVE_INFINITY;
    const property = fc.asyncProperty(values, async (value) => {
      // Ends shrinking, which may take minutes for a large spec without finding a smaller value.
      if (found !== undefined && performance.now() > shrinkUntil)
        throw new fc.PreconditionFailure(true);
      try {
        await tryOne(value);
      } catch (error) {
        if (!(error instanceof Breach)) throw error;
        if (found !== undefined && found.breach.law !== error.law) return;
        if (found === undefined) shrinkUntil = performance.now() + shrinkMs;
        found = { value, breach: error };
        throw error;
      }
    });
    const { failed, errorInstance } = await fc.check(property, { seed: seed + at, numRuns: 1 });
    if (found !== undefined) return found;
    if (failed) throw errorInstance;
  }
  return undefined;
}
