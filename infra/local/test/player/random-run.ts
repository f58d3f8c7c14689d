import { createRandom } from '../../chaos/random.ts';
import { asCase } from './as-case.ts';
import { type Difference, playGame, type Servers } from './game.ts';
import { type Move, makeMoves } from './moves.ts';
import { shorten } from './shorten.ts';
import { subjectsOf } from './subjects.ts';

export interface RandomRun {
  readonly servers: Servers;
  /** The custom resources to use besides the built-in kinds; the caller registers them. */
  readonly definitions: readonly object[];
  readonly steps: number;
  readonly seed: number;
  /** Limit of games that are played to shrink the first one with a difference. */
  readonly tries: number;
}

export interface Outcome {
  readonly steps: number;
  readonly games: number;
  /** The first difference, in readable form; undefined if there is none. */
  readonly difference: string | undefined;
}

const stepsOfAGame = 20;
const tables = 3;
const portsOfATable = 3;

/** Plays games, each with its own seed, until there are enough steps or the servers differ. */
export async function playGames(randomRun: RandomRun): Promise<Outcome> {
  const { servers, definitions, steps, seed, tries } = randomRun;
  const subjects = subjectsOf(definitions);
  let played = 0;
  let games = 0;
  let places = 0;
  let difference: string | undefined;

  async function playAt(table: number): Promise<void> {
    const ports = Array.from({ length: portsOfATable }, (_, at) => 30_000 + 10 * table + at);
    const play = (moves: readonly Move[]): Promise<Difference | undefined> =>
      playGame(moves, servers, { namespace: `game-${seed}-${++places}`, ports });
    while (played < steps && difference === undefined) {
      const own = seed + games++;
      const moves = makeMoves(createRandom(own), subjects, stepsOfAGame);
      played += moves.length;
      const found = await play(moves);
      if (found === undefined || difference !== undefined) continue;
      difference = 'being made shorter';
      const shortest = await shorten({ moves, difference: found }, play, tries);
      difference = describe(own, shortest.difference);
    }
  }

  await Promise.all(Array.from({ length: tables }, (_, table) => playAt(table)));
  return { steps: played, games, difference };
}

function describe(seed: number, { lines, turnouts }: Difference): string {
  const path = turnouts[0]?.asked.path ?? '';
  const namespace = /namespaces\/([^/]+)/.exec(path)?.[1] ?? '';
  return [
    `the servers differ (PLAYER_SEED=${seed} PLAYER_STEPS=1); local / real:`,
    ...lines.slice(0, 20).map((line) => `  ${line}`),
    asCase(`seed-${seed}`, turnouts, namespace),
  ].join('\n');
}
