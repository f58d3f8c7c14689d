import { setTimeout as delay } from 'node:timers/promises';
import { createRandom, type Random } from '@serverless-reconciler/local-cluster/random';
import { RefusedError } from '../../testing/user.ts';

/** An actor that acts repeatedly at random times. */
export interface Actor {
  readonly name: string;
  /** Mean time between two actions. */
  readonly everyMs: number;
  /** Performs one action; a request that the server refuses counts as not done. */
  readonly act: (random: Random) => Promise<unknown>;
}

export interface Cast {
  /** Number of actions by actor: done, and refused by the server. */
  readonly counts: ReadonlyMap<string, { readonly done: number; readonly refused: number }>;
  /** Other failures of actors, which are faults of the soak or of the cluster. */
  readonly failures: readonly string[];
  /** Stops the actors; resolves once each has finished its current action. */
  readonly stop: () => Promise<void>;
}

/** Runs all actors independently, each with its own random source derived from the seed. */
export function startActors(actors: readonly Actor[], seed: number): Cast {
  const stopped = new AbortController();
  const counts = new Map<string, { done: number; refused: number }>();
  const failures: string[] = [];

  async function play({ name, everyMs, act }: Actor, random: Random): Promise<void> {
    const count = { done: 0, refused: 0 };
    counts.set(name, count);
    while (!stopped.signal.aborted) {
      await delay(everyMs / 2 + random.below(everyMs), undefined, stopped).catch(() => undefined);
      if (stopped.signal.aborted) return;
      try {
        await act(random);
        count.done++;
      } catch (error) {
        if (error instanceof RefusedError) count.refused++;
        else failures.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }

  const playing = actors.map((actor, at) => play(actor, createRandom(seed * 1_000 + at)));
  return {
    counts,
    failures,
    async stop() {
      stopped.abort();
      await Promise.all(playing);
    },
  };
}
