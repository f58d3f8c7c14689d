import type { Client } from '../../client.ts';
import type { Move } from './moves.ts';
import { type Player, sitDown, type Turnout } from './play.ts';

/** The two servers: the one under test and the reference. */
export interface Servers {
  readonly local: Client;
  readonly real: Client;
}

/** The first move with different answers from the two servers, and the differences. */
export interface Difference {
  readonly at: number;
  /** A line for each: the path, and the values of the local and the real server. */
  readonly lines: readonly string[];
  /** The requests to the real server and its responses, up to and including this move. */
  readonly turnouts: readonly Turnout[];
}

export interface GameNamespace {
  readonly namespace: string;
  readonly ports: readonly number[];
}

/** Plays the moves on both servers until their answers differ. */
export async function playGame(
  moves: readonly Move[],
  servers: Servers,
  ground: GameNamespace,
): Promise<Difference | undefined> {
  const [local, real] = await Promise.all([
    sitDown({ client: servers.local, ...ground }),
    sitDown({ client: servers.real, ...ground }),
  ]);
  try {
    return await findDifference(moves, local, real);
  } finally {
    await Promise.all([local.leave(), real.leave()]);
  }
}

async function findDifference(
  moves: readonly Move[],
  local: Player,
  real: Player,
): Promise<Difference | undefined> {
  const turnouts: Turnout[] = [];
  for (const [at, move] of moves.entries()) {
    const [ours, theirs] = await Promise.all([local.take(move), real.take(move)]);
    turnouts.push(theirs);
    const lines = compare(ours.masked, theirs.masked, '');
    if (lines.length > 0) return { at, lines, turnouts };
  }
  return undefined;
}

function compare(local: unknown, real: unknown, path: string): string[] {
  if (isNode(local) && isNode(real) && Array.isArray(local) === Array.isArray(real)) {
    const keys = [...new Set([...Object.keys(local), ...Object.keys(real)])];
    return keys.flatMap((key) =>
      compare(local[key], real[key], path === '' ? key : `${path}.${key}`),
    );
  }
  return Object.is(local, real) ? [] : [`${path}: ${show(local)} / ${show(real)}`];
}

const isNode = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;

const show = (value: unknown): string => JSON.stringify(value) ?? 'nothing';
