import fc from 'fast-check';
import type { Report } from '../../shared/reconcile/report.ts';
import { type Around, eachCall } from '../reconcile/calls.ts';
import type { Api } from '../scenarios/api.ts';
import type { Arena, Ground } from './arena.ts';
import { permitted } from './disturb.ts';
import { befalling, failureNames, type Mishap, undisturbed } from './mishap.ts';
import { type Actor, type Choose, type Turn, takeTurns } from './turns.ts';

/** What happens in one namespace; of everything that is done the name. */
export interface Drama {
  /** One after the other: deeds of the cast, `run`, `settle`. */
  readonly before: readonly string[];
  /** Deeds done by somebody while two runs work. */
  readonly meanwhile: readonly string[];
  /** How often the controllers get round to what there is to do meanwhile. */
  readonly collections: number;
  /** Meets the first of the two runs. */
  readonly mishap: Mishap | undefined;
}

export const quiet: Drama = { before: [], meanwhile: [], collections: 0, mishap: undefined };

/** Anything before, mostly after what has `begun`, and anything at once. */
export function dramasOf(
  deedNames: readonly string[],
  { birth, begun }: { readonly birth: string; readonly begun: readonly string[] },
): fc.Arbitrary<Drama> {
  const deed = fc.constantFrom(...deedNames);
  const step = fc.oneof({ weight: 2, arbitrary: deed }, fc.constantFrom('run', 'settle'));
  const start = fc.oneof(
    { weight: 3, arbitrary: fc.constant(begun) },
    fc.constant<readonly string[]>([birth]),
  );
  return fc.record({
    before: fc
      .tuple(start, fc.array(step, { maxLength: 6 }))
      .map(([first, more]) => [...first, ...more]),
    meanwhile: fc.array(deed, { maxLength: 3 }),
    collections: fc.integer({ min: 0, max: 2 }),
    mishap: fc.option(
      fc.record({ at: fc.nat({ max: 14 }), how: fc.constantFrom(...failureNames) }),
      { nil: undefined },
    ),
  });
}

/** Who acts, and who watches. */
export interface Cast {
  readonly arena: Arena;
  readonly ground: Ground;
  /** What others do, by name; what the server refuses did not happen. */
  readonly deeds: Readonly<Record<string, (api: Api) => Promise<unknown>>>;
  /** Stands around the calls of one run. */
  readonly watch: () => Around;
  /** Stands around what others do. */
  readonly others?: Around;
  /** Calls of a run that take no turn, since in whatever order they come is all one. */
  readonly isBeside?: (what: string) => boolean;
}

export interface Ending {
  /** Who did what, one line a call. */
  readonly story: string;
  readonly turns: readonly Turn[];
  readonly reports: readonly Report[];
}

/** One thing that is done; a run is undisturbed. */
export async function play(cast: Cast, deed: string): Promise<void> {
  const { arena, ground, deeds, watch, others = undisturbed } = cast;
  if (deed === 'run') {
    return void (await ground.run({ through: (port) => eachCall(port, watch()) }));
  }
  const act = deeds[deed];
  await others(deed, async () => {
    if (deed === 'settle') await arena.settle();
    else if (act === undefined) throw new Error(`nobody knows how to ${deed}`);
    else await permitted(act(ground.api));
  });
}

/** Plays everything, call by call in the order that `choose` makes. */
export async function playDrama(cast: Cast, drama: Drama, choose: Choose): Promise<Ending> {
  const reports: Report[] = [];
  for (const deed of drama.before) await play(cast, deed);
  const runner =
    (mishap?: Mishap): Actor =>
    async (step) => {
      const watch = cast.watch();
      const turn: Around = (what, call) =>
        cast.isBeside?.(what) ? call() : step(what, () => watch(what, call));
      const around = mishap === undefined ? turn : befalling(turn, mishap);
      reports.push(await cast.ground.run({ through: (port) => eachCall(port, around) }));
    };
  const doing =
    (deeds: readonly string[]): Actor =>
    async (step) => {
      for (const deed of deeds) await step(deed, () => play(cast, deed));
    };
  const collections = Array.from({ length: drama.collections }, () => 'settle');
  const turns = await takeTurns(
    {
      first: runner(drama.mishap),
      second: runner(),
      ...(drama.meanwhile.length === 0 ? {} : { somebody: doing(drama.meanwhile) }),
      ...(drama.collections === 0 ? {} : { controllers: doing(collections) }),
    },
    choose,
  );
  const story = [...drama.before, ...turns.map(({ actor, what }) => `${actor}: ${what}`)];
  return { story: story.join('\n'), turns, reports };
}

/** What an undisturbed run asks for after all that. */
export async function callsAfter(
  cast: Cast,
  before: readonly string[],
): Promise<readonly string[]> {
  const calls: string[] = [];
  for (const deed of before) await play(cast, deed);
  await cast.ground.run({
    through: (port) =>
      eachCall(port, (what, call) => {
        calls.push(what);
        return call();
      }),
  });
  return calls;
}
