import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Around } from '../reconcile/calls.ts';

/** An actor makes each call through `step`, which waits for the actor's turn. */
export type Actor = (step: Around) => Promise<unknown>;

/** Chooses the index of the waiting actor that has the turn. */
export type Choose = (waiting: readonly string[], previous: string | undefined) => number;

export interface Turn {
  readonly actor: string;
  readonly what: string;
}

interface Waiting extends Turn {
  readonly go: () => void;
}

/**
 * Lets actors make one call at a time, in the order of `choose`, and returns that order. Flow: every unfinished
 * actor waits with a call → one is chosen → its call is executed. Guarantees: the same choices make the same
 * order.
 */
export async function takeTurns(
  actors: Readonly<Record<string, Actor>>,
  choose: Choose,
): Promise<readonly Turn[]> {
  const waiting: Waiting[] = [];
  const turns: Turn[] = [];
  const working = new Set(Object.keys(actors));
  let called: Promise<unknown> = Promise.resolve();
  const ends = Object.entries(actors).map(async ([actor, act]) => {
    const step: Around = async (what, call) => {
      await new Promise<void>((go) => waiting.push({ actor, what, go }));
      const response = call();
      called = response.catch(() => undefined);
      return response;
    };
    try {
      await act(step);
    } finally {
      working.delete(actor);
    }
  });
  const all = Promise.all(ends);
  // Handles rejections now, because the promises are awaited only at the end.
  all.catch(() => undefined);
  let previous: string | undefined;
  while (working.size > 0) {
    await called;
    await everybodyWaits(waiting, working);
    waiting.sort((a, b) => (a.actor < b.actor ? -1 : a.actor > b.actor ? 1 : 0));
    if (waiting.length === 0) continue;
    const at = choose(
      waiting.map(({ actor }) => actor),
      previous,
    );
    const [next] = waiting.splice(at, 1);
    if (next === undefined) throw new Error(`no actor waits at ${at}`);
    turns.push({ actor: next.actor, what: next.what });
    previous = next.actor;
    next.go();
    await nextTurn();
  }
  await all;
  return turns;
}

/** Waits for all actors, because a run may pause before its next call. */
async function everybodyWaits(
  waiting: readonly Waiting[],
  working: ReadonlySet<string>,
): Promise<void> {
  do await nextTurn();
  while ([...working].some((actor) => !waiting.some((one) => one.actor === actor)));
}
