import { at, placesOf, remove } from './corrupt.ts';
import type { Difference } from './game.ts';
import type { Move } from './moves.ts';

export interface Found {
  readonly moves: readonly Move[];
  readonly difference: Difference;
}

type Play = (moves: readonly Move[]) => Promise<Difference | undefined>;

/** Removes everything from a game that the difference does not need; plays at most `tries` games. */
export async function shorten(found: Found, play: Play, tries: number): Promise<Found> {
  let left = tries;
  let best = cut(found);

  async function attempt(moves: readonly Move[]): Promise<boolean> {
    if (left <= 0) return false;
    left -= 1;
    const difference = await play(moves);
    if (difference === undefined || !isAlike(difference, best.difference)) return false;
    best = cut({ moves, difference });
    return true;
  }

  // Tries to remove halves, then single moves; keeps the last one, which shows the difference.
  for (let size = Math.max(1, best.moves.length >> 1); size >= 1; size >>= 1) {
    for (let from = best.moves.length - 1 - size; from >= 0; from -= size) {
      await attempt(best.moves.toSpliced(from, size));
    }
  }
  for (let index = best.moves.length - 1; index >= 0; index--) {
    for (const place of removablePlaces(best.moves[index])) {
      const move = best.moves[index];
      if (move === undefined || left <= 0) break;
      if (at(move, place) === undefined) continue;
      await attempt(best.moves.with(index, remove(move, place) as Move));
    }
  }
  return best;
}

const cut = ({ moves, difference }: Found): Found => ({
  moves: moves.slice(0, difference.at + 1),
  difference,
});

/** Probably of one cause. */
const isAlike = (one: Difference, other: Difference): boolean => causeOf(one) === causeOf(other);

export const causeOf = ({ lines: [first = '', ...others] }: Difference): string => {
  const isStatus = first.startsWith('answer.status');
  const messageLine = isStatus
    ? others.find((line) => line.startsWith('answer.body.message'))
    : undefined;
  return [isStatus ? first : withoutNumbers(first), withoutNumbers(messageLine ?? '')]
    .join(' ')
    .trim();
};

const withoutNumbers = (text: string): string => text.replace(/[0-9]+/g, '0');

/** Returns the places in a move that may be removed: outer ones first, and the last items of a list first. */
function removablePlaces(move: Move | undefined): (string | number)[][] {
  if (move === undefined) return [];
  const within = ['body', 'query'].flatMap((part) =>
    placesOf((move.request as unknown as Record<string, unknown>)[part])
      .slice(1)
      .map((place) => ['request', part, ...place]),
  );
  const edits = (move.edits ?? []).map((_, index) => ['edits', index]);
  const sorted = [...edits, ...within].toSorted((a, b) => a.length - b.length);
  return sorted.toReversed().toSorted((a, b) => a.length - b.length);
}
