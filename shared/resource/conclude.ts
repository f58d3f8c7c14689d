import {
  isConflict,
  isInvalid,
  isNotFound,
  KubeError,
  lostResponse,
} from '../cluster/cluster-errors.ts';
import { finalizerOf, releaseOf } from '../finalization.ts';
import { finalizerManager } from '../identity.ts';
import { present } from '../json.ts';
import { type JsonObject, type KubeObject, type ObjectVersion, titleOf } from '../kubernetes.ts';
import { versionOf } from '../plan/decision/decision.ts';
import type { Outcome } from '../plan/decision/outcome.ts';
import { readsOf } from '../plan/decision/target.ts';
import { attributed } from '../plan/drift/cause.ts';
import { resourceManifest } from '../plan/observed/apply-manifest.ts';
import type { ConditionSummary } from '../plan/observed/conditions.ts';
import {
  isEdited,
  type ObservedResource,
  observeResource,
  specificationOf,
} from '../plan/observed/observed-resource.ts';
import type { ResourceStatus } from '../plan/observed/recorded-status.ts';
import { refTo, type World } from '../plan/observed/world.ts';
import { type Plan, plan } from '../plan/plan.ts';
import { afterCleanUp, eventOfEnd, finalizerChange } from '../plan/status/finalizer-change.ts';
import { type Finding, findingOf, withOwnStatus } from '../plan/status/finding.ts';
import { type EventRecord, eventsFor } from '../plan/status/kubernetes-events.ts';
import { nextStatus, withoutStrays } from '../plan/status/status.ts';
import { isSameSpecification, keyOfResource, readResource } from '../reading/read.ts';
import { explain } from '../run/explain.ts';
import { postEvents } from '../run/post-events.ts';
import { type Run, timestamp } from '../run/run.ts';
import { StaleError, type Turn } from './turn.ts';

export interface Done {
  /** The state that the conditions show; undefined for a resource that is gone, suspended or failed. */
  readonly summary: ConditionSummary | undefined;
  readonly statusWritten: boolean;
  readonly error?: string;
}

export const noResult: Done = { summary: undefined, statusWritten: false };

/** Adds to each repair the user whose change it undid, if an audit entry of the run names the user. */
export const outcomesOf = ({ run, world, outcomes }: Turn): readonly Outcome[] =>
  [...outcomes.values()].map((one) =>
    attributed(one, world.resource.namespace, run.policy.causes ?? []),
  );

/**
 * Reports that the next run will try again. Throws `error` instead if another run has finished a newer generation, or
 * if the resource is now to be left alone (`isIdle`).
 */
export async function giveUp(turn: Turn, error: Error): Promise<Done> {
  const { world, outcomes, ending } = turn;
  const resource = await readResource(ending, world);
  if (resource === undefined) return noResult;
  if (!isEdited(resource) && resource.generation !== world.resource.generation) throw error;
  // If the references have changed, drops the objects read, so that the kind's own status stays as it is.
  if (readsOf({ ...world, resource }) !== readsOf(world)) world.reads.clear();
  world.resource = resource;
  const all = findingOf(world, plan(world), [...outcomes.values()]);
  if (all === undefined) throw error;
  const reason = error instanceof StaleError ? 'Conflict' : 'NotFinished';
  const message = `not finished, will be tried again in the next run: ${error.message}`;
  const summary: ConditionSummary = { state: 'Reconciling', reason, message };
  const given = { ...all, summary, acted: false };
  const found = all.own === undefined ? given : withOwnStatus(world, given);
  return { error: message, ...(await conclude(turn, found, true)) };
}

/** `found` is undefined for a suspended resource. */
export async function conclude(
  turn: Turn,
  found: Finding | undefined,
  unlocked = false,
): Promise<Done> {
  const { world, ending } = turn;
  const now = timestamp(ending.clients.now());
  const { kind, resource } = world;
  const events = found ? eventsFor(kind, resource, { ...found, outcomes: outcomesOf(turn) }) : [];
  const statusFor = (of: ObservedResource) => nextStatus(kind, of, { now, found });
  const { summary, error } = found ?? {};
  const statusWritten = await commit(turn, { statusFor, events, unlocked });
  return { summary, statusWritten, ...present({ error }) };
}

export interface Conclusion {
  readonly statusFor: (resource: ObservedResource) => ResourceStatus | undefined;
  readonly events: readonly EventRecord[];
  /** Writes the status even if the resource has changed since it was planned. Set by `giveUp`. */
  readonly unlocked?: boolean;
}

/**
 * Posts Events, then writes the status, locked to the version that was planned. Returns whether the status was written.
 *
 * Flow: after a conflict the resource is read again. If its spec is the same, and so is the part of its status that the
 * kind reads, only the status is computed again. If other writers keep changing the rest of the resource, the last
 * attempt is locked to the uid alone. Its response shows whether the spec was edited.
 *
 * Guarantees: unless `unlocked`, throws a StaleError if this run wrote anything for an older spec. Throws if the server
 * refuses the status or does not respond; by then the Events are posted. The next run posts no second Event: it finds
 * repaired children in order, and gives other Events the same names.
 *
 * Caveats: the last attempt may replace a status that another run has just written for a newer spec. Then this run
 * plans the resource and writes the status once more. If this run gives up, the next run does so.
 */
export async function commit(
  { ending: run, world, wrote }: Turn,
  { statusFor, events, unlocked = false }: Conclusion,
): Promise<boolean> {
  let { resource } = world;
  let status = statusFor(resource);
  const { uid } = resource;
  const stale = () => new StaleError(`commit ${titleOf({ ...resource, kind: world.kind.kind })}`);
  if (wrote || status !== undefined) await postEvents(run, world, events);
  for (let tries = unlocked ? maxTries : 1; status !== undefined; tries++) {
    const lock = tries < maxTries ? versionOf(resource) : { uid };
    const written = await writeStatus(run, { ...world, resource }, { status, lock });
    const isWritten = written === 'written' || (unlocked && written === 'edited');
    if (isWritten || unlocked || written === 'gone') return isWritten;
    if (written === 'edited' || tries === maxTries) throw stale();
    const fresh = await readResource(run, world);
    if (fresh === undefined) return false;
    if (!isSameSpecification(fresh, resource)) throw stale();
    resource = fresh;
    status = statusFor(fresh);
    if (status === undefined) return written === 'lost';
    if (readsOf({ ...world, resource }) !== readsOf(world)) throw stale();
  }
  // There was no status write to fail with a conflict, so only this read shows whether the spec was edited meanwhile.
  const fresh = wrote && !unlocked ? await readResource(run, world) : undefined;
  if (fresh !== undefined && !isSameSpecification(fresh, resource)) throw stale();
  return false;
}

const maxTries = 5;

interface StatusWrite {
  readonly status: ResourceStatus;
  readonly lock: Partial<ObjectVersion>;
}

async function writeStatus(
  run: Run,
  world: World,
  write: StatusWrite,
): Promise<'written' | 'edited' | 'conflict' | 'lost' | 'gone'> {
  const { resource } = world;
  try {
    const applied = await applyStatus(run, world, write);
    if (!isSameSpecification(specificationOf(applied), resource)) return 'edited';
    await removeStrays(run, world, { ...write, live: applied, lock: applied.metadata });
    return 'written';
  } catch (error) {
    if (isConflict(error)) return lostResponse(error) ? 'lost' : 'conflict';
    const remedy = 'install the CRD that `reconciler generate crds` prints';
    if (error instanceof KubeError && (error.repeated || isInvalid(error)))
      throw new Error(`${error.message}; if its CRD is out of date, ${remedy}`, { cause: error });
    if (!isNotFound(error)) throw error;
    if ((await readResource(run, world))?.uid !== resource.uid) return 'gone';
    const why = `its CRD has no status subresource; ${remedy}`;
    throw new Error(`cannot write the status of ${keyOfResource(world)}: ${why}`, { cause: error });
  }
}

const statusOptions = ({ identity }: World) =>
  ({ manager: identity.name, subresource: 'status' }) as const;

/** If the apply is refused, removes strays (`withoutStrays`) and retries: strays may be invalid without our fields. */
async function applyStatus(run: Run, world: World, write: StatusWrite): Promise<KubeObject> {
  const { kind, resource } = world;
  const fields = { status: write.status as JsonObject };
  const apply = (lock: StatusWrite['lock']): Promise<KubeObject> =>
    run.cluster.apply(kind, resourceManifest(world, fields, lock), statusOptions(world));
  try {
    return await apply(write.lock);
  } catch (error) {
    const live = isInvalid(error) ? await run.cluster.get(kind, resource) : undefined;
    if (live?.metadata.uid !== resource.uid) throw error;
    const left = await removeStrays(run, world, { ...write, live });
    if (left === undefined) throw error;
    return apply(versionOf(left.metadata));
  }
}

/** Returns undefined if there is nothing to remove. */
async function removeStrays(
  run: Run,
  world: World,
  { status, live, lock }: StatusWrite & { readonly live: KubeObject },
): Promise<KubeObject | undefined> {
  const { kind, resource } = world;
  const operations = withoutStrays(kind, live.status, status);
  const { resourceVersion = live.metadata.resourceVersion } = lock;
  const patch = { ...statusOptions(world), resourceVersion, operations };
  return operations.length === 0 ? undefined : run.cluster.patch(kind, resource, patch);
}

/** Returns false if the server refuses. */
export function addFinalizer(turn: Turn): Promise<boolean> {
  const { kind, resource, identity } = turn.world;
  const metadata = { finalizers: [finalizerOf(kind, identity)] };
  const manifest = resourceManifest(turn.world, { metadata }, versionOf(resource));
  const manager = finalizerManager(identity);
  return keepWritten(turn, turn.ending.cluster.apply(kind, manifest, { manager }));
}

/** Returns the finding to report. If our finalizers are no longer needed, first removes them. */
export async function released(turn: Turn, planned: Plan): Promise<Finding | undefined> {
  const { world, outcomes } = turn;
  const find = () => findingOf(world, planned, [...outcomes.values()]);
  const found = find();
  if (finalizerChange(world, planned, found) !== 'remove') return found;
  // A refusal by the server is recorded as an outcome, so the finding is computed again.
  if (!(await removeFinalizers(turn, found))) return find();
  return found && afterCleanUp(world.resource, found);
}

async function removeFinalizers(turn: Turn, found: Finding | undefined): Promise<boolean> {
  const { world, ending } = turn;
  const { kind, resource, identity } = world;
  const lock = { manager: finalizerManager(identity), resourceVersion: resource.resourceVersion };
  const patch = { ...lock, operations: releaseOf(resource) };
  if (!(await keepWritten(turn, ending.cluster.patch(kind, resource, patch)))) return false;
  const event = eventOfEnd({ kind, resource }, found);
  if (event !== undefined) {
    const { reason, message } = event;
    const about = { resource: keyOfResource({ kind, resource }), reason, message };
    ending.clients.log.warning('finalizer removed before the clean-up was complete', about);
    // Posts to `default`, because no Event can be created in a namespace that is being deleted.
    const namespace = reason === 'NamespaceTerminating' ? '' : resource.namespace;
    await postEvents(ending, { ...world, resource: { ...resource, namespace } }, [event]);
  }
  return true;
}

/** Stores the written resource in the world. If the server refuses, records a failed outcome and returns false. */
async function keepWritten(turn: Turn, writing: Promise<KubeObject>): Promise<boolean> {
  const { world, ending } = turn;
  const { kind, resource } = world;
  try {
    world.resource = observeResource(kind, await writing, ending.clients);
    return true;
  } catch (error) {
    if (isNotFound(error) && lostResponse(error)) return true;
    if (isConflict(error) || isNotFound(error))
      throw new StaleError(`write the finalizers of ${keyOfResource(world)}`);
    const child = refTo(kind, resource.name);
    turn.record({ child, result: 'failed', ...(await explain(ending, kind, error)) });
    return false;
  }
}
