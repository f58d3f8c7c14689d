import pMap from 'p-map';
import { messageOf } from '../cluster/cluster-errors.ts';
import type { Kind } from '../kinds/kind.ts';
import { groupResource, includesType, qualifiedName } from '../kubernetes.ts';
import type { ObservedResource } from '../plan/observed/observed-resource.ts';
import type { MarkReason } from '../plan/observed/rollout-mark.ts';
import { listed } from '../printable.ts';
import { isSameSpecification, keyOfResource, listResources } from '../reading/read.ts';
import type { Area } from '../run/area.ts';
import { postEvents } from '../run/post-events.ts';
import type { LiveWorld, Run } from '../run/run.ts';
import { addMarked, type Fleet, type Member, newFleet } from './fleet.ts';
import { writeMark } from './marks.ts';
import { readRolloutPause } from './pause.ts';
import { waveOf } from './wave.ts';

/** Marks the next resources of the rollouts in a completely read area, so that any run may change them. */
export async function beginWaves(
  run: Run,
  area: Pick<Area, 'namespaces'>,
  { fleets, work }: { readonly fleets: readonly Fleet[]; readonly work: readonly LiveWorld[] },
): Promise<void> {
  if (run.policy.rollout === undefined) return;
  const begun = new Map<string, ObservedResource>();
  for (const fleet of fleets) {
    // A failed rollout must not stop other work.
    const chosen = await chooseNext(run, area, fleet).catch((error: unknown) => {
      const kind = groupResource(fleet.kind);
      run.clients.log.warning('rollout not continued', { kind, error: messageOf(error) });
      return [];
    });
    const marked = await mark(run, fleet.kind, chosen, 'RollingOut');
    for (const [uid, resource] of marked) begun.set(uid, resource);
  }
  for (const world of work) {
    const fresh = begun.get(world.resource.uid);
    // Drops the reads if a kind refers to its own type: a resource that reads itself could write back an older status.
    if (fresh && includesType(world.kind.refersTo, world.kind)) world.reads.clear();
    if (fresh !== undefined && isSameSpecification(fresh, world.resource)) world.resource = fresh;
  }
}

/** Returns the uids of the resources that a run would begin to change now, even if other runs chose them. */
export async function slotsOf(run: Run, fleets: readonly Fleet[]): Promise<ReadonlySet<string>> {
  const { rollout: policy } = run.policy;
  const holders = new Set<string>();
  for (const fleet of fleets) {
    if (policy === undefined || fleet.members.size === 0) continue;
    // A run that cannot read the pause begins nothing.
    const pause = await readRolloutPause(run, fleet.kind).catch(() => undefined);
    if (pause === undefined) continue;
    const { chosen, withdraw, begin } = waveOf(fleet, { policy, now: run.clients.now(), pause });
    for (const one of [...chosen, ...begin]) if (!withdraw.includes(one)) holders.add(one.uid);
  }
  return holders;
}

/** Maximum number of reads that look for choices made by other runs. */
const maxRereads = 3;
const writesAtOnce = 8;

/**
 * Flow: chooses resources, marks them as `Starting`, and reads all marks again. If all chosen resources fit the budget,
 * the caller marks them as `RollingOut`, locked to the version that was read. Otherwise marks the surplus as `Waiting`
 * and reads again; after three reads chooses none.
 * Guarantees: a resource becomes `RollingOut` only if the budget has room for it. Of several runs that choose at the
 * same time, the last one sees the choices of all others. Resources chosen by a dead run are taken over. Without a
 * rollout no request is sent.
 */
async function chooseNext(
  run: Run,
  area: Pick<Area, 'namespaces'>,
  first: Fleet,
): Promise<readonly Member[]> {
  const { rollout: policy } = run.policy;
  if (policy === undefined || first.members.size === 0) return [];
  const { kind } = first;
  const pause = await readRolloutPause(run, kind);
  const next = (fleet: Fleet) => waveOf(fleet, { policy, now: run.clients.now(), pause });
  const wave = next(first);
  await reportFailures(run, kind, wave);
  await mark(run, kind, wave.withdraw, 'Waiting');
  const begun = await mark(run, kind, wave.begin, 'Starting');
  /** Uids of the resources chosen before the latest list. Other runs may have missed those chosen later. */
  let known = new Set([...wave.chosen.map(uidOf), ...begun.keys()]);
  for (let reads = 0; reads < maxRereads && known.size > 0; reads++) {
    const fleet = { ...(await listFleet(run, area, kind)), done: first.done };
    const { chosen, withdraw } = next(fleet);
    if (withdraw.length === 0) return chosen.filter((one) => known.has(uidOf(one)));
    known = new Set(chosen.map(uidOf));
    await mark(run, kind, withdraw, 'Waiting');
  }
  return [];
}

const uidOf = ({ uid }: Member): string => uid;

/** Marks the members, except those that have changed or whose request fails. Returns those that were marked. */
async function mark(
  run: Run,
  kind: Kind,
  members: readonly Member[],
  reason: Exclude<MarkReason, 'RolledOut'>,
): Promise<ReadonlyMap<string, ObservedResource>> {
  const marked = new Map<string, ObservedResource>();
  const write = async (member: Member): Promise<void> => {
    try {
      const target = reason === 'RolloutHalted' ? member.rollout?.target : undefined;
      const written = await writeMark(run, { kind, resource: member }, { reason, target });
      if (written !== undefined) marked.set(written.uid, written);
    } catch (error) {
      const key = keyOfResource({ kind, resource: member });
      run.clients.log.warning('rollout mark not written', { key, reason, error: messageOf(error) });
    }
  };
  await pMap(members, write, { concurrency: writesAtOnce });
  return marked;
}

export async function listFleet(
  run: Run,
  { namespaces }: Pick<Area, 'namespaces'>,
  kind: Kind,
): Promise<Fleet> {
  const fleet = newFleet(kind);
  await listResources(run, { namespaces }, kind, (resource) => addMarked(fleet, resource));
  return fleet;
}

/** Logs a halted rollout once in each run. Posts an Event in the first run that finds it halted. */
async function reportFailures(
  run: Run,
  kind: Kind,
  { failed, halted, waiting }: ReturnType<typeof waveOf>,
): Promise<void> {
  if (!halted) return;
  run.clients.log.error('rollout halted', {
    kind: groupResource(kind),
    failed: failed.slice(0, 10).map(({ namespace, name }) => qualifiedName(namespace, name)),
    waiting: waiting.length,
  });
  const fresh = failed
    .filter((one) => one.rollout?.reason !== 'RolloutHalted')
    .toSorted((a, b) => (a.uid < b.uid ? -1 : 1));
  const [marked] = (await mark(run, kind, fresh, 'RolloutHalted')).values();
  const [first] = fresh;
  if (marked === undefined || first === undefined || fresh.length < failed.length) return;
  const names = fresh.map(({ name }) => name).toSorted();
  const message = `${listed(names, 10)} did not become Ready in time after a new version of the code changed them; resources still waiting: ${waiting.length}. Deploy a corrected version, or the previous one`;
  // Concurrent runs build the same Event, so only one is created.
  const of = first.rollout?.since ?? '';
  const event = { type: 'Warning', reason: 'RolloutHalted', message, of } as const;
  const { identity } = run.clients;
  const subject = { identity, kind, resource: { ...marked, ...first } };
  await postEvents(run, subject, [event]);
}
