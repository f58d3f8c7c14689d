import type { Report } from '../../shared/resync/report.ts';
import type { Field } from './field.ts';
import type { FunctionPool } from './function-pool.ts';
import { type Resync, untilQuiescent } from './quiescence.ts';
import type { OwnWrite } from './record.ts';
import {
  faultsInScenes,
  findResource,
  obstructed,
  orphansIn,
  rest,
  type Scenes,
  strayAutoscalers,
  unreported,
  withheld,
} from './scenes.ts';
import type { Site } from './site.ts';
import { type Check, describe } from './verdict.ts';

interface Stage {
  readonly site: Site;
  readonly field: Field;
  readonly pool: FunctionPool;
  /** Our writes so far. */
  readonly writes: readonly OwnWrite[];
  /** Called with the number of each resync before it begins. */
  readonly onResync: (resync: number) => void;
}

/**
 * Judges convergence after the noise, with only resyncs and the cluster at rest between them.
 *
 * One resync puts everything in place, except for objects that were blocked by something which this resync
 * removes, such as a renamed child or a node port: the second resync creates them, as the README says. The
 * next resync also updates statuses to what controllers did in between, and drops 16 of the names that
 * others added to a status. From the third resync on each write needs such a reason, until a resync and a
 * plan write nothing.
 */
export async function judgeConvergence(stage: Stage): Promise<readonly Check[]> {
  const { site, field } = stage;
  const before = await rest(field);
  const excused = obstructed(before);
  let resyncs = 0;
  const next = (from: Scenes) => {
    stage.onResync(++resyncs);
    return resyncAndRest(stage, from);
  };
  const first = await next(before);
  const late = faultsInScenes(first.after);
  const second = await next(first.after);
  const silence = await untilQuiescent(second, { done: 2, next });
  const scenes = silence.after;
  const plan = await planOf(site);
  const stillObstructed = new Set([...obstructed(scenes), ...withheld(scenes)]);
  const isExcused = (fault: string) => [...excused].some((name) => fault.startsWith(`${name}:`));
  const lateWrites = second.writes.filter(
    ({ subresource, key, owner = '' }) =>
      subresource !== 'status' &&
      !key.startsWith('events ') &&
      ![...excused].some((name) => isOf(name, owner)),
  );
  return [
    {
      name: 'one resync brings everything',
      measured: `${countOf(before)} resources, ${excused.size} obstructed before, ${late.length} left to the second resync`,
      faults: late.filter((fault) => !isExcused(fault)),
    },
    {
      name: 'two resyncs bring the rest',
      measured: `${second.writes.length} writes in the second resync, ${stillObstructed.size} resources obstructed by others`,
      faults: [
        ...faultsInScenes(second.after),
        ...lateWrites.map((write) => `late: ${describe(write)}`),
      ],
    },
    {
      name: 'at rest nothing is written',
      measured: `${silence.resyncs} resyncs, ${plan.length} resources in the plan`,
      faults: [
        ...silence.faults,
        ...unreported(scenes).map((name) => `${name}: its status is of another generation`),
        ...plan
          .filter((key) => ![...stillObstructed].some((name) => isOf(name, key)))
          .map((key) => `the plan would write ${key}: ${standingOf(scenes, key)}`),
      ],
    },
    {
      name: 'no child is left over',
      measured: 'children of resources that are gone',
      faults: [...orphansIn(scenes), ...strayAutoscalers(scenes)],
    },
  ];
}

async function resyncAndRest({ field, pool, writes }: Stage, before: Scenes): Promise<Resync> {
  const from = writes.length;
  const response = await pool.resync('steady');
  if (response?.code !== 200)
    throw new Error(`the resync returned ${response?.code}: ${response?.text}`);
  return { writes: writes.slice(from), before, after: await rest(field) };
}

/** Returns the keys of resources for which a run would do something. */
async function planOf(site: Site): Promise<readonly string[]> {
  const oracle = await site.start({ name: 'plan', target: 'resync', env: { DRY_RUN: 'true' } });
  const { text } = await oracle.post('{}');
  return (JSON.parse(text) as Report).undone;
}

/** Reports whether a name such as `soak-1: Foo f` and a key such as `foos.example.com soak-1/f` mean the same. */
function isOf(name: string, key: string): boolean {
  const [, namespace, kind = '', of] = /^(\S+): (\S+) (\S+)$/.exec(name) ?? [];
  return key.endsWith(` ${namespace}/${of}`) && key.startsWith(kind.toLowerCase());
}

const countOf = (scenes: Scenes): number =>
  [...scenes.values()].reduce((sum, { resources }) => sum + resources.length, 0);

/** Summarizes the conditions of a resource, given its key. */
function standingOf(scenes: Scenes, key: string): string {
  const conditions = findResource(scenes, key)?.live.status?.conditions ?? [];
  return conditions.map(({ type, reason, message }) => `${type} ${reason} ${message}`).join('; ');
}
