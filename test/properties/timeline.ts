import fc from 'fast-check';
import type { Report } from '../../shared/resync/report.ts';
import { type Around, eachCall } from '../reconcile/calls.ts';
import type { Api } from '../scenarios/api.ts';
import { type CallFault, failureNames, undisturbed, withFault } from './call-fault.ts';
import { permitted } from './disturb.ts';
import type { Testbed, TestNamespace } from './testbed.ts';
import { type Actor, type Choose, type Turn, takeTurns } from './turns.ts';

/** Names the actions in one namespace. */
export interface Timeline {
  /** Lists actions in order, including `run` and `settle`. */
  readonly before: readonly string[];
  /** Lists actions of others during two runs. */
  readonly meanwhile: readonly string[];
  /** Counts how often the controllers work meanwhile. */
  readonly collections: number;
  /** Affects the first of the two runs. */
  readonly callFault: CallFault | undefined;
}

export const quiet: Timeline = { before: [], meanwhile: [], collections: 0, callFault: undefined };

/** Makes timelines with any actions before, mostly after those in `begun`, and any concurrent ones. */
export function timelinesOf(
  actionNames: readonly string[],
  { birth, begun }: { readonly birth: string; readonly begun: readonly string[] },
): fc.Arbitrary<Timeline> {
  const action = fc.constantFrom(...actionNames);
  const step = fc.oneof({ weight: 2, arbitrary: action }, fc.constantFrom('run', 'settle'));
  const start = fc.oneof(
    { weight: 3, arbitrary: fc.constant(begun) },
    fc.constant<readonly string[]>([birth]),
  );
  return fc.record({
    before: fc
      .tuple(start, fc.array(step, { maxLength: 6 }))
      .map(([first, more]) => [...first, ...more]),
    meanwhile: fc.array(action, { maxLength: 3 }),
    collections: fc.integer({ min: 0, max: 2 }),
    callFault: fc.option(
      fc.record({ at: fc.nat({ max: 14 }), how: fc.constantFrom(...failureNames) }),
      { nil: undefined },
    ),
  });
}

/** The actors, and the observers of their calls. */
export interface Actors {
  readonly testbed: Testbed;
  readonly ground: TestNamespace;
  /** Acts as others do, by name; an action that the server refuses is passed over. */
  readonly actions: Readonly<Record<string, (api: Api) => Promise<unknown>>>;
  /** Wraps the calls of one run. */
  readonly watch: () => Around;
  /** Wraps the calls of others. */
  readonly others?: Around;
  /** Reports whether a call of a run takes no turn, because its order does not matter. */
  readonly takesNoTurn?: (what: string) => boolean;
}

export interface Ending {
  /** Lists the calls with their actors, one in a line. */
  readonly story: string;
  readonly turns: readonly Turn[];
  readonly reports: readonly Report[];
}

/** Performs one action without interrupting a run. */
export async function play(actors: Actors, action: string): Promise<void> {
  const { testbed, ground, actions, watch, others = undisturbed } = actors;
  if (action === 'run') {
    return void (await ground.run({ through: (port) => eachCall(port, watch()) }));
  }
  const act = actions[action];
  await others(action, async () => {
    if (action === 'settle') await testbed.settle();
    else if (act === undefined) throw new Error(`unknown action: ${action}`);
    else await permitted(act(ground.api));
  });
}

/** Plays a timeline, call by call in the order of `choose`. */
export async function playTimeline(
  actors: Actors,
  timeline: Timeline,
  choose: Choose,
): Promise<Ending> {
  const reports: Report[] = [];
  for (const action of timeline.before) await play(actors, action);
  const runner =
    (callFault?: CallFault): Actor =>
    async (step) => {
      const watch = actors.watch();
      const turn: Around = (what, call) =>
        actors.takesNoTurn?.(what) ? call() : step(what, () => watch(what, call));
      const around = callFault === undefined ? turn : withFault(turn, callFault);
      reports.push(await actors.ground.run({ through: (port) => eachCall(port, around) }));
    };
  const doing =
    (actions: readonly string[]): Actor =>
    async (step) => {
      for (const action of actions) await step(action, () => play(actors, action));
    };
  const collections = Array.from({ length: timeline.collections }, () => 'settle');
  const turns = await takeTurns(
    {
      first: runner(timeline.callFault),
      second: runner(),
      ...(timeline.meanwhile.length === 0 ? {} : { somebody: doing(timeline.meanwhile) }),
      ...(timeline.collections === 0 ? {} : { controllers: doing(collections) }),
    },
    choose,
  );
  const story = [...timeline.before, ...turns.map(({ actor, what }) => `${actor}: ${what}`)];
  return { story: story.join('\n'), turns, reports };
}

/** Lists the requests of an undisturbed run after these actions. */
export async function callsAfter(
  actors: Actors,
  before: readonly string[],
): Promise<readonly string[]> {
  const calls: string[] = [];
  for (const action of before) await play(actors, action);
  await actors.ground.run({
    through: (port) =>
      eachCall(port, (what, call) => {
        calls.push(what);
        return call();
      }),
  });
  return calls;
}
