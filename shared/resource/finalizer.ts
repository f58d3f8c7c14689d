import { isConflict, isNotFound } from '../cluster/cluster-errors.ts';
import { finalizerOf, releaseOf } from '../finalization.ts';
import type { KubeObject } from '../kubernetes.ts';
import { versionOf } from '../plan/decision/decision.ts';
import { resourceManifest } from '../plan/observed/apply-manifest.ts';
import { observeResource } from '../plan/observed/observed-resource.ts';
import { refTo } from '../plan/observed/world.ts';
import type { Plan } from '../plan/plan.ts';
import { afterCleanUp, eventOfEnd, finalizerChange } from '../plan/status/finalizer-change.ts';
import { type Finding, findingOf } from '../plan/status/finding.ts';
import { keyOfResource } from '../reading/read.ts';
import { explain } from '../run/explain.ts';
import { postEvents } from '../run/post-events.ts';
import { StaleError } from './stale.ts';
import type { Turn } from './turn.ts';

/** Adds our finalizer. If the server refuses, records a failed outcome and returns false. */
export async function addFinalizer(turn: Turn): Promise<boolean> {
  const { kind, resource, identity } = turn.world;
  const metadata = { finalizers: [finalizerOf(kind, identity)] };
  const manifest = resourceManifest(turn.world, { metadata }, versionOf(resource));
  return keep(turn, turn.ending.cluster.apply(kind, manifest, { manager: identity.name }));
}

/** Returns the finding to report. If the clean-up has ended, first removes our finalizers. */
export async function released(turn: Turn, planned: Plan): Promise<Finding | undefined> {
  const { world, outcomes } = turn;
  const find = () => findingOf(world, planned, [...outcomes.values()]);
  const found = find();
  if (finalizerChange(world, planned, found) !== 'remove') return found;
  // A refusal is an outcome, which changes the finding.
  if (!(await removeFinalizer(turn, found))) return find();
  return found && afterCleanUp(world.resource, found);
}

/** Removes our finalizers, and reports an incomplete clean-up. Records a failed outcome if the server refuses. */
async function removeFinalizer(turn: Turn, found: Finding | undefined): Promise<boolean> {
  const { world, ending } = turn;
  const { kind, resource, identity } = world;
  const event = eventOfEnd(world, found);
  if (event !== undefined) {
    const { reason, message } = event;
    ending.clients.log.warning('finalizer removed before the clean-up was complete', {
      resource: keyOfResource(world),
      reason,
      message,
    });
    // Posts the Event in another namespace, because none can be created in one that is being deleted.
    const namespace = reason === 'NamespaceTerminating' ? '' : resource.namespace;
    await postEvents(ending, { ...world, resource: { ...resource, namespace } }, [event]);
  }
  const { resourceVersion } = resource;
  const patch = { manager: identity.name, resourceVersion, operations: releaseOf(resource) };
  return keep(turn, ending.cluster.patch(kind, resource, patch));
}

/** Keeps the resource as a write of its finalizers returns it. */
async function keep(turn: Turn, writing: Promise<KubeObject>): Promise<boolean> {
  const { world, ending } = turn;
  const { kind, resource } = world;
  try {
    world.resource = observeResource(kind, await writing, ending.clients);
    return true;
  } catch (error) {
    if (isConflict(error)) throw new StaleError(`write the finalizers of ${keyOfResource(world)}`);
    if (isNotFound(error)) return true;
    const child = refTo(kind, resource.name);
    turn.record({ child, result: 'failed', ...(await explain(ending, kind, error)) });
    return false;
  }
}
