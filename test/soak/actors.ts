import { setTimeout as delay } from 'node:timers/promises';
import { createRandom, type Random } from '@serverless-reconciler/local-cluster/random';
import { RefusedError } from '../../testing/user.ts';

/** An actor that acts at random, repeatedly. */
export interface Actor {
  readonly name: string;
  /** From one deed to the next, on average. */
  readonly everyMs: number;
  /** One deed; what the server refuses did not happen. */
  readonly act: (random: Random) => Promise<unknown>;
}

export interface Cast {
  /** Deeds by actor: done, and refused by the server. */
  readonly counts: ReadonlyMap<string, { readonly done: number; readonly refused: number }>;
  /** What an actor failed at otherwise: a fault of the soak, or of the cluster. */
  readonly failures: readonly string[];
  /** Resolves once every actor has finished what it was at. */
  readonly stop: () => Promise<void>;
}

/** Runs every actor independently, each with its own random source derived from the seed. */
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
