import { isIdle } from '../finalization.ts';
import { weightOf } from '../json.ts';
import type { Kind } from '../kinds/kind.ts';
import { keyOf } from '../kubernetes.ts';
import { isEdited, type ObservedResource } from '../plan/observed/observed-resource.ts';
import { isUnderWay } from '../plan/observed/rollout-mark.ts';
import { hasUnlisted, namespaceOf, type World } from '../plan/observed/world.ts';
import { isNoop, type Plan, plan } from '../plan/plan.ts';
import { countIn, deletionNamespaces } from '../plan/pruning.ts';
import { finalizerChange } from '../plan/status/finalizer-change.ts';
import { type Finding, findingOf } from '../plan/status/finding.ts';
import { isComparisonDue } from '../plan/status/run-record.ts';
import { nextStatus } from '../plan/status/status.ts';
import { keyOfResource, type ListedChildren, listResources, worldOf } from '../reading/read.ts';
import { readReferences, readsFor, referencesOf } from '../reading/read-references.ts';
import { addDone, addMember, type Fleet, memberOf, newFleet } from '../rollout/fleet.ts';
import { type Gated, gated, nextMark } from '../rollout/gate.ts';
import type { Area } from '../run/area.ts';
import { overBudget } from '../run/memory-budget.ts';
import { isLaterPass, type LiveWorld, type Run, timestamp } from '../run/run.ts';
import { emptySurvey, type Survey, type Unkept } from './survey-result.ts';

const comparingTriggers: ReadonlySet<string> = new Set(['resync', 'request']);

/** Limits the daily comparisons of a kind in a run, to leave time for repairs. */
const maxComparisons = 100;

export type Comparisons = Map<Kind, number>;

interface Tally extends Survey {
  readonly fleet: Fleet;
  readonly comparisons: Comparisons;
}

interface KindListing extends Pick<ListedChildren, 'childrenOf'>, Pick<Tally, 'comparisons'> {
  readonly kind: Kind;
  readonly unlisted: World['unlisted'];
  /** Read from the clock after the children and before the resources are listed. */
  readonly now: Date;
}

/** Lists and plans a kind's resources. Keeps those with anything to do or report; in a later pass, keeps all. */
export async function surveyKind(
  run: Run,
  area: Area,
  { kind, childrenOf, unlisted, comparisons, now }: KindListing,
): Promise<Survey> {
  const { identity } = run.clients;
  const tally = { ...emptySurvey(), fleet: newFleet(kind), comparisons };
  const planEach = (world: LiveWorld): void => {
    world.comparesDaily =
      (comparisons.get(kind) ?? 0) < maxComparisons &&
      comparingTriggers.has(run.policy.trigger) &&
      isComparisonDue(world.resource, now);
    try {
      if (!isLaterPass(run) && !isWork(run, tally, world)) return;
    } catch {
      // Reconciling the resource reports the error in the kind's code.
    }
    keep(run, tally, world);
  };
  // Limits the memory of resources until their references are read. From then on, only those with work take memory.
  using memory = run.limits.memory.part();
  const waiting: LiveWorld[] = [];
  const each = (resource: ObservedResource): void => {
    const children = childrenOf(resource);
    const subject = { identity, kind, resource, unlisted, now: now.getTime() };
    const world = worldOf(subject, new Map(children.map((child) => [keyOf(child), child])));
    tally.resources++;
    const namespaces = children.map((child) => namespaceOf(resource, child));
    for (const namespace of new Set([resource.namespace, ...namespaces]))
      countIn(tally.namespaces, namespace).resources++;
    addMember(tally.fleet, resource);
    if (kind.refersTo.length === 0) planEach(world);
    else if (memory.admit(resource.namespace, weightOf(resource))) waiting.push(world);
    else tally.unkept.push(unkept(world));
  };
  await listResources(run, area, kind, each);
  const referring = await withReferences(run, area, waiting);
  memory[Symbol.dispose]();
  for (const world of referring) planEach(world);
  if (!hasUnlisted({ unlisted })) tally.fleets.push(tally.fleet);
  return tally;
}

/** Call this after all lists: referenced objects must not be older than children. */
async function withReferences(run: Run, area: Area, worlds: readonly LiveWorld[]) {
  const referring = worlds.map((world) => ({
    world,
    references: isIdle(world.resource) ? [] : referencesOf(world),
  }));
  const all = referring.flatMap(({ references }) => references);
  const found = await readReferences(run, area, all);
  return referring.map(({ world, references }) => ({
    ...world,
    reads: readsFor(references, found),
  }));
}

function keep(run: Run, tally: Tally, world: LiveWorld): void {
  const { resource } = world;
  if (run.limits.memory.admit(resource.namespace, weightOf(resource))) tally.work.push(world);
  else tally.unkept.push(unkept(world));
}

const unkept = (world: World): Unkept => ({
  key: keyOfResource(world),
  namespace: world.resource.namespace,
  error: `it is not reconciled: ${overBudget}`,
});

/** Reports whether a run has to reconcile the resource, and counts it in `tally`. Plans without further reads. */
function isWork(run: Run, tally: Tally, world: World): boolean {
  const { resource } = world;
  const now = run.clients.now();
  const whole = plan(world);
  const { planned, role } = gated(whole, world, { now, policy: run.policy.rollout });
  // Also counts deletions that a rollout delays: a wrong deletion does the same damage later.
  count(tally, world, whole);
  if (planned.state === 'deleting') return false;
  const found = findingOf(world, planned, []);
  // An incomplete plan does not show whether the resource is in a rollout.
  const isMember = planned.state !== 'unseen' && !resource.deleting && !resource.observeOnly;
  if (isMember) {
    updateFleet(tally.fleet, world, { planned, role, found });
    const mark = found && nextMark(world, { role, summary: found.summary, now });
    if (found !== undefined && (role === 'waits' || mark !== undefined)) return true;
  }
  if (finalizerChange(world, planned, found) !== undefined) return true;
  // If the kind's code throws, every run has to report it.
  if (found?.error !== undefined) return true;
  const at = { now: timestamp(now), found };
  return !isNoop(planned) || nextStatus(world.kind, resource, at) !== undefined;
}

function count(tally: Tally, { kind, resource, comparesDaily }: World, planned: Plan): void {
  if (planned.state === 'deleting' || planned.state === 'suspended') tally.idle[planned.state]++;
  else if (comparesDaily && planned.state !== 'invalid' && !('referenceFailed' in planned))
    tally.comparisons.set(kind, (tally.comparisons.get(kind) ?? 0) + 1);
  // Without the references, it is unknown whether the plan deletes children.
  if (planned.state === 'unseen' && planned.references !== undefined)
    tally.uncountable.add(resource.uid);
  if (!isEdited(resource) && !resource.observeOnly)
    for (const namespace of deletionNamespaces(planned, resource))
      countIn(tally.namespaces, namespace).deletions.add(resource.uid);
}

/** Updates the fleet with what this run has found, because the mark and the status may be out of date. */
function updateFleet(
  fleet: Fleet,
  world: World,
  { planned, role, found }: Gated & { readonly found: Finding | undefined },
): void {
  const { resource } = world;
  const { uid } = resource;
  if (role === 'waits') fleet.members.set(uid, memberOf(resource));
  else if (resource.rollout?.reason === 'Waiting') fleet.members.delete(uid);
  if (found === undefined) return;
  const ready = found.summary.state === 'Ready' && isNoop(planned);
  const member = fleet.members.get(uid);
  // During a rollout, the children show whether the resource is Ready: others may write its status.
  if (member && (ready || (isUnderWay(member.rollout) && isUnready(world))))
    fleet.members.set(uid, { ...member, ready });
  if (ready && role !== 'waits') addDone(fleet, resource);
}

const isUnready = ({ children }: World): boolean =>
  [...children.values()].some(({ readiness }) => readiness.state !== 'Current');
