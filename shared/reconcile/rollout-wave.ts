import pMap from 'p-map';
import { messageOf } from '../cluster/errors.ts';
import type { Kind } from '../kinds/kind.ts';
import { groupResource } from '../kubernetes.ts';
import { type ObservedResource, observeResource } from '../plan/observed.ts';
import { addMember, type Fleet, type Member, newFleet, waveOf } from '../plan/rollout-wave.ts';
import type { Area } from './area.ts';
import { postEvents } from './commit.ts';
import { listResources } from './listing.ts';
import { isSameSpecification } from './read.ts';
import { writeMark } from './rollout-marks.ts';
import type { Run } from './run.ts';
import type { LiveWorld } from './state.ts';

/**
 * Begins what may begin in an area that was read whole, before its resources are reconciled. Returns the run that
 * knows how many wait before each.
 */
export async function beginWaves(
  run: Run,
  area: Pick<Area, 'namespaces'>,
  { fleets, work }: { readonly fleets: readonly Fleet[]; readonly work: readonly LiveWorld[] },
): Promise<Run> {
  const { rollout: policy } = run;
  if (policy === undefined) return run;
  const ahead = new Map<string, number>();
  for (const one of fleets) {
    const { waiting } = waveOf(one, { policy, now: run.now() });
    for (const [at, { resource }] of waiting.entries()) ahead.set(resource.uid, at);
    const begun = await beginWave(run, area, one);
    for (const world of work) {
      const fresh = begun.get(world.resource.uid);
      if (fresh !== undefined && isSameSpecification(fresh, world.resource)) world.resource = fresh;
    }
  }
  return { ...run, rollout: { ...policy, ahead } };
}

/** How often the resources are read again, where several runs choose at the same time. */
const maxRounds = 3;
const writesAtOnce = 8;

/**
 * Begins what may begin: marks resources, which every run then changes.
 *
 * Flow: choose → mark as `Starting` → read all marks again → if they fit the budget, mark as `RollingOut`; else
 * withdraw those that are too many, and read again.
 * Guarantees: never more than the budget are `RollingOut`, whatever other runs do: each mark is locked to
 * what was read, and of several runs the one that chose last sees all that the others chose. What a dead
 * run left is taken up by the next one. Without a rollout nothing is requested.
 * Returns the resources that it marked as `RollingOut`, by uid.
 */
export async function beginWave(
  run: Run,
  area: Pick<Area, 'namespaces'>,
  first: Fleet,
): Promise<ReadonlyMap<string, ObservedResource>> {
  const { rollout: policy } = run;
  if (policy === undefined || first.members.size === 0) return new Map();
  const { kind } = first;
  let fleet = first;
  /** Marked before the last list began, so that it shows all that were chosen earlier. */
  let seen = new Set<string>();
  for (let round = 0; ; round++) {
    const wave = waveOf(fleet, { policy, now: run.now() });
    if (round === 0) await reportFailures(run, kind, wave);
    const known = seen;
    seen = new Set(wave.chosen.map(({ resource }) => resource.uid));
    const isSound = round > 0 && wave.withdraw.length === 0;
    const confirmed = isSound ? wave.chosen.filter(({ resource }) => known.has(resource.uid)) : [];
    if (isSound) return mark(run, kind, confirmed, 'RollingOut');
    if (round === maxRounds) return new Map();
    await mark(run, kind, wave.withdraw, 'Waiting');
    if (round === 0)
      for (const uid of (await mark(run, kind, wave.begin, 'Starting')).keys()) seen.add(uid);
    if (seen.size === 0) return new Map();
    fleet = await listFleet(run, area, kind);
  }
}

const messages = {
  Waiting: 'waits for its turn to be changed by a new version of the code of its kind',
  Starting: 'chosen to be changed by a new version of the code of its kind',
  RollingOut: 'being changed by a new version of the code of its kind',
  RolloutHalted: 'changed by a new version of the code of its kind, and not Ready in time',
} as const;

/** Marks resources, except those that have changed meanwhile or whose request fails. */
async function mark(
  run: Run,
  kind: Kind,
  members: readonly Member[],
  reason: keyof typeof messages,
): Promise<ReadonlyMap<string, ObservedResource>> {
  const write = async (member: Member) => {
    try {
      return await writeMark(run, { kind, ...member }, reason, messages[reason]);
    } catch (error) {
      const { namespace, name } = member.resource;
      const key = `${groupResource(kind)} ${namespace}/${name}`;
      run.log.warning('rollout mark not written', { key, reason, error: messageOf(error) });
      return undefined;
    }
  };
  const written = await pMap(members, write, { concurrency: writesAtOnce });
  return new Map(written.flatMap((one) => (one === undefined ? [] : [[one.uid, one] as const])));
}

async function listFleet(run: Run, area: Pick<Area, 'namespaces'>, kind: Kind): Promise<Fleet> {
  const fleet = newFleet(kind);
  const whole = { kinds: [kind], namespaces: area.namespaces, name: undefined };
  await listResources(run, whole, kind, (live) =>
    addMember(fleet, observeResource(kind, live, run)),
  );
  return fleet;
}

/** One line for each run while a rollout is halted; one Event when it halts. */
async function reportFailures(
  run: Run,
  kind: Kind,
  { failed, halted, waiting }: ReturnType<typeof waveOf>,
): Promise<void> {
  if (!halted) return;
  run.log.error('rollout halted', {
    kind: groupResource(kind),
    failed: failed.slice(0, 10).map(({ resource }) => `${resource.namespace}/${resource.name}`),
    waiting: waiting.length,
  });
  const fresh = failed.filter((one) => one.mark?.reason !== 'RolloutHalted');
  const marked = [...(await mark(run, kind, fresh, 'RolloutHalted')).values()];
  const [first] = marked;
  if (first === undefined || fresh.length < failed.length) return;
  const names = marked.map(({ name }) => name).toSorted();
  const message = `${names.slice(0, 10).join(', ')} not Ready in time after a change by a new version of the code; ${waiting.length} wait. Deploy a version that repairs it, or the one before`;
  const event = {
    type: 'Warning',
    reason: 'RolloutHalted',
    message,
    of: first.rollout?.since ?? '',
  } as const;
  const world = {
    identity: run.identity,
    kind,
    resource: first,
    children: new Map(),
    absent: new Set<string>(),
  };
  await postEvents(run, world, [event]);
}
