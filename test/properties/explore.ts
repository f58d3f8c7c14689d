import { stride } from './runs.ts';
import type { Choose } from './turns.ts';

interface Moment {
  readonly waiting: readonly string[];
  readonly chosen: string;
  /** The number of interruptions so far. */
  readonly interruptions: number;
  readonly previous: string | undefined;
}

/**
 * Tries every order of turns with at most `interruptions`, or a different part of them each time (`stride`).
 * Returns the number of orders. Flow: an order is a prefix, after which each actor continues as long as
 * possible. Each moment at which another actor could have had the turn is the prefix of another order.
 */
export async function explore(
  interruptions: number,
  play: (choose: Choose) => Promise<void>,
): Promise<number> {
  const beginnings: (readonly string[])[] = [[]];
  const offset = Date.now();
  let orders = 1;
  for (let next = beginnings.pop(); next !== undefined; next = beginnings.pop()) {
    const moments: Moment[] = [];
    await play(choosing(next, moments));
    const order = moments.map(({ chosen }) => chosen);
    for (let at = next.length; at < moments.length; at++) {
      for (const other of others(moments[at]!, interruptions)) {
        orders += 1;
        if ((orders + offset) % stride > 0) continue;
        beginnings.push([...order.slice(0, at), other]);
      }
    }
  }
  return orders;
}

const choosing =
  (beginning: readonly string[], moments: Moment[]): Choose =>
  (actors, previous) => {
    const goesOn = previous !== undefined && actors.includes(previous);
    const chosen = beginning[moments.length] ?? (goesOn ? previous : actors[0]!);
    const last = moments.at(-1);
    const interruptions =
      last === undefined ? 0 : last.interruptions + Number(isInterruption(last));
    moments.push({ waiting: [...new Set(actors)], chosen, interruptions, previous });
    return actors.indexOf(chosen);
  };

const isInterruption = ({ previous, waiting, chosen }: Moment): boolean =>
  previous !== undefined && chosen !== previous && waiting.includes(previous);

function others(moment: Moment, allowed: number): readonly string[] {
  return moment.waiting.filter((other) => {
    if (other === moment.chosen) return false;
    const cost = Number(isInterruption({ ...moment, chosen: other }));
    return moment.interruptions + cost <= allowed;
  });
}
