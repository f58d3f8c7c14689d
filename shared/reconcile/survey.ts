import { isExpired, isFinal } from '../cluster/errors.ts';
import type { Kind } from '../kinds/kind.ts';
import type { Reference } from '../kinds/reads.ts';
import { groupResource, type KubeObject, type ResourceType } from '../kubernetes.ts';
import { isEdited, isUntried } from '../plan/edited.ts';
import { type Finding, findingOf } from '../plan/finding.ts';
import { type ObservedChild, type ObservedResource, observeResource } from '../plan/observed.ts';
import { deletionPlaces, isNoop, plan } from '../plan/plan.ts';
import { type Counted, countIn, mergeCounts, type NamespaceCounts } from '../plan/pruning.ts';
import { type Gated, gated, nextMark } from '../plan/rollout.ts';
import { addMember, addOther, type Fleet, memberOf, newFleet } from '../plan/rollout-wave.ts';
import { nextStatus } from '../plan/status.ts';
import { type Found, keyOf, namespaceOf, type World } from '../plan/world.ts';
import type { Area } from './area.ts';
import { type AtRest, atRest, isStillAtRest } from './known-objects.ts';
import { listErrorOf } from './list-error.ts';
import { type ListedChildren, listChildren, listKnownResources } from './listing.ts';
import { type MemoryBudget, overBudget, weightOf, weightOfChild } from './memory-budget.ts';
import { keyOfResource, worldOf } from './read.ts';
import { answersFor, readReferences, referencesOf } from './references.ts';
import { type Run, timestamp } from './run.ts';
import type { LiveWorld } from './state.ts';

/** An area as read at one moment. Resources that are as wanted are only counted. */
export interface Survey extends Counted {
  /** Resources for which something has to be done or reported. */
  readonly work: readonly LiveWorld[];
  readonly resources: number;
  /** Resources that are left alone: suspended, or being deleted. */
  readonly idle: { readonly suspended: number; readonly deleting: number };
  /** Resources that did not fit into memory; nothing is done for them. */
  readonly unkept: readonly Unkept[];
  /** Kinds whose lists are incomplete; nothing is written for them. */
  readonly incomplete: readonly Incomplete[];
  /** The resources that take part in rollouts, of each kind that was listed. */
  readonly fleets: readonly Fleet[];
}

export interface Unkept {
  readonly key: string;
  readonly namespace: string;
  readonly error: string;
}

export interface Incomplete {
  readonly kind: string;
  readonly error: string;
  /** The same list may succeed later. */
  readonly transient?: boolean;
}

/**
 * Lists the children, then the resources, then reads what these refer to, and plans each resource.
 *
 * Flow: if the pages of a list expire (410), all lists restart once, children first.
 * Guarantees: no child is newer than the specification, and what it refers to, that it is compared with. A kind with a failed
 * list has no work. Memory holds the children and the resources with work, not whole pages, and no
 * namespace exceeds its share: beyond it a child is unreadable, and a resource is not kept.
 */
export async function survey(run: Run, area: Area, awaited?: Uids): Promise<Survey> {
  const memoryBudget = run.memoryBudget.part();
  try {
    // What is made of a page depends on which resources are awaited.
    const known = awaited === undefined ? run.known : undefined;
    const found = await listFresh({ ...run, known, memoryBudget }, area, awaited);
    for (const world of found.work) countWorld(run.memoryBudget, world);
    countReads(run, found.work);
    return found;
  } finally {
    memoryBudget.close();
    if (awaited === undefined) run.known?.count();
  }
}

function countWorld(memoryBudget: MemoryBudget, { resource, children }: LiveWorld): void {
  memoryBudget.count(resource.namespace, weightOf(resource));
  for (const child of children.values())
    memoryBudget.count(namespaceOf(resource, child), weightOfChild(child));
}

/** Many resources may refer to one object, which is kept once. */
function countReads({ memoryBudget }: Run, work: readonly LiveWorld[]): void {
  const counted = new Set<Found>();
  for (const found of work.flatMap(({ reads }) => [...reads.values()])) {
    if (counted.has(found) || !('object' in found)) continue;
    counted.add(found);
    memoryBudget.count(found.namespace ?? '', weightOf(found.object));
  }
}

async function listFresh(run: Run, area: Area, awaited?: Uids): Promise<Survey> {
  const first = await listAll(run, area, awaited);
  if (!first.failures.some(({ error }) => isExpired(error))) return combined(first);
  run.log.info('lists restarted, their pages expired');
  run.memoryBudget.close();
  return combined(await listAll(run, area, awaited));
}

interface Listing {
  readonly tallies: readonly Tally[];
  readonly failures: readonly FailedList[];
}

/** The list of the kind's resources, or of a type of its children. */
interface FailedList {
  readonly kind: Kind;
  readonly type: ResourceType;
  readonly error: unknown;
}

interface Tally {
  readonly fleet: Fleet;
  readonly work: LiveWorld[];
  readonly unkept: Unkept[];
  resources: number;
  readonly namespaces: NamespaceCounts;
  readonly uncountable: Set<string>;
  suspended: number;
  deleting: number;
}

async function listAll(run: Run, area: Area, awaited?: Uids): Promise<Listing> {
  const { childrenOf, failed } = await listChildren(run, area, awaited);
  const results = await Promise.all(
    area.kinds.map(async (kind) => {
      const type = kind.owns.find((own) => failed.has(groupResource(own)));
      if (type !== undefined) return { kind, type, error: failed.get(groupResource(type)) };
      return listKind(run, area, { kind, childrenOf, awaited }).catch((error: unknown) => ({
        ...{ kind, type: kind },
        error,
      }));
    }),
  );
  return {
    tallies: results.flatMap((result) => ('error' in result ? [] : [result])),
    failures: results.flatMap((result) => ('error' in result ? [result] : [])),
  };
}

/** The uids of the only resources to survey; each of them counts as work, even if it is as wanted. */
export type Uids = ReadonlySet<string>;

interface KindListing extends Pick<ListedChildren, 'childrenOf'> {
  readonly kind: Kind;
  readonly awaited: Uids | undefined;
}

async function listKind(
  run: Run,
  area: Area,
  { kind, childrenOf, awaited }: KindListing,
): Promise<Tally> {
  const tally: Tally = {
    fleet: newFleet(kind),
    work: [],
    unkept: [],
    resources: 0,
    namespaces: new Map(),
    uncountable: new Set(),
    suspended: 0,
    deleting: 0,
  };
  /** Whether nothing is to be done for the resource. */
  const planEach = (world: Listed): boolean => {
    try {
      if (awaited === undefined && !isWork(run, tally, world)) return true;
    } catch {
      // The kind's own code threw. It will throw in the resource's run too, which reports it.
    }
    keep(run, tally, world);
    return false;
  };
  const waiting = openWaiting(run, tally);
  const count = (resource: Located, children: readonly ObservedChild[]): void => {
    tally.resources++;
    for (const place of placesOf(resource, children)) countIn(tally.namespaces, place).resources++;
  };
  const each = (live: KubeObject): AtRest | undefined => {
    if (awaited?.has(live.metadata.uid) === false) return undefined;
    const resource = observeResource(kind, live, run);
    const children = childrenOf(resource);
    const { identity } = run;
    const byKey = new Map(children.map((child) => [keyOf(child), child]));
    const world = { identity, kind, resource, children: byKey, absent: none, reads: new Map() };
    count(resource, children);
    addMember(tally.fleet, resource);
    if (kind.refersTo.length > 0) waiting.add(world);
    else if (planEach(world)) return atRest(resource, children);
    return undefined;
  };
  const again = (before: AtRest, live: () => KubeObject): AtRest | undefined => {
    const children = childrenOf(before);
    if (!isStillAtRest(before, children)) return each(live());
    count(before, children);
    addOther(tally.fleet, before.rollout);
    return before;
  };
  try {
    await listKnownResources(run, area, kind, { each, again });
    await waiting.planAll(area, planEach);
  } finally {
    waiting.close();
  }
  return tally;
}

/**
 * Resources of a kind that reads other objects, which are read once all resources are listed: an object
 * must not be older than the children that depend on it.
 */
function openWaiting(run: Run, tally: Tally) {
  const memoryBudget = run.memoryBudget.part();
  const waiting: { readonly world: Listed; readonly references: readonly Reference[] }[] = [];
  return {
    add(world: Listed): void {
      const { kind, resource } = world;
      if (memoryBudget.admit(resource.namespace, weightOf(resource)))
        waiting.push({ world, references: isIdle(resource) ? [] : referencesOf(world) });
      else tally.unkept.push(unkept(kind, resource));
    },
    async planAll(area: Area, planEach: (world: Listed) => void): Promise<void> {
      const all = waiting.flatMap(({ references }) => references);
      const found = await readReferences(run, area, all);
      // From here on only what has to be done is kept.
      memoryBudget.close();
      for (const { world, references } of waiting)
        planEach({ ...world, reads: answersFor(references, found) });
    },
    close: memoryBudget.close,
  };
}

const isIdle = ({ deleting, suspended }: ObservedResource): boolean => deleting || suspended;

type Located = Pick<ObservedResource, 'namespace'>;

/** The namespaces in which a resource is, or has children. */
const placesOf = (resource: Located, children: readonly ObservedChild[]): ReadonlySet<string> =>
  new Set([resource.namespace, ...children.map((child) => namespaceOf(resource, child))]);

interface Listed extends World {
  readonly children: Map<string, ObservedChild>;
  readonly reads: Map<string, Found>;
}

/** Adds a resource to the work, if it fits into memory. */
function keep(run: Run, tally: Tally, { children, reads, ...subject }: Listed): void {
  const { kind, resource } = subject;
  if (run.memoryBudget.admit(resource.namespace, weightOf(resource)))
    tally.work.push({ ...worldOf(subject, children), reads });
  else tally.unkept.push(unkept(kind, resource));
}

const unkept = (kind: Kind, resource: ObservedResource): Unkept => ({
  key: keyOfResource({ kind, resource }),
  namespace: resource.namespace,
  error: `it is not kept: ${overBudget}`,
});

/** Nothing was read by name yet. */
const none: ReadonlySet<string> = new Set();

/** Whether something has to be done or reported. Counts deletions, and suspended and deleting resources. */
function isWork(run: Run, tally: Tally, world: World): boolean {
  const { resource } = world;
  if (isSurelyWork(world)) return true;
  const now = run.now();
  const whole = plan(world);
  const { planned, part } = gated(whole, world, { now, policy: run.rollout });
  if (planned.state === 'deleting' || planned.state === 'suspended') tally[planned.state]++;
  if (planned.state === 'deleting') return false;
  if (planned.state === 'unseen' && planned.references.length > 0)
    tally.uncountable.add(resource.uid);
  // Those that wait in a rollout count, too: it is as wrong to delete everything one by one.
  if (!isEdited(resource))
    for (const namespace of deletionPlaces(whole, resource))
      countIn(tally.namespaces, namespace).deletions.add(resource.uid);
  const found = findingOf(world, planned, []);
  // An incomplete plan says nothing about its part in a rollout.
  const isDue =
    run.rollout !== undefined &&
    planned.state !== 'unseen' &&
    takesPart(tally, world, { planned, part, found, now });
  return isDue || !(isNoop(planned) && isStatusUpToDate(world, found, timestamp(now)));
}

/** New or edited, without children and not tried yet: its status has to be written, so it is planned only in its turn. */
const isSurelyWork = ({ resource, children }: World): boolean =>
  isUntried(resource) && children.size === 0 && resource.rollout === undefined && !isIdle(resource);

/** Whether it waits for its turn, or its mark has to change. */
function takesPart(
  { fleet: { members } }: Tally,
  world: World,
  {
    planned,
    part,
    found,
    now,
  }: Gated & { readonly found: Finding | undefined; readonly now: Date },
): boolean {
  const { resource } = world;
  const { uid } = resource;
  if (part === 'waits') members.set(uid, memberOf(resource));
  else if (resource.rollout?.reason === 'Waiting') members.delete(uid);
  if (found === undefined) return false;
  const member = members.get(uid);
  // Its status may not say so yet. Where anything is left to do, it may not succeed.
  if (member !== undefined && found.summary.state === 'Ready' && isNoop(planned))
    members.set(uid, { ...member, ready: true });
  return part === 'waits' || nextMark(world, { part, summary: found.summary, now }) !== undefined;
}

const isStatusUpToDate = (
  { kind, resource }: World,
  finding: ReturnType<typeof findingOf>,
  now: string,
): boolean =>
  nextStatus(kind, resource, { now, ...(finding ?? { suspended: true }) }) === undefined;

function combined({ tallies, failures }: Listing): Survey {
  const sum = (count: (tally: Tally) => number): number =>
    tallies.reduce((total, tally) => total + count(tally), 0);
  return {
    work: tallies.flatMap(({ work }) => work),
    unkept: tallies.flatMap(({ unkept }) => unkept),
    resources: sum(({ resources }) => resources),
    namespaces: mergeCounts(tallies.map(({ namespaces }) => namespaces)),
    uncountable: new Set(tallies.flatMap(({ uncountable }) => [...uncountable])),
    idle: {
      suspended: sum(({ suspended }) => suspended),
      deleting: sum(({ deleting }) => deleting),
    },
    fleets: tallies.map(({ fleet }) => fleet),
    incomplete: failures.map(({ kind, type, error }) => ({
      kind: groupResource(kind),
      error: listErrorOf(type, [kind], error),
      ...(isFinal(error) ? {} : { transient: true }),
    })),
  };
}
