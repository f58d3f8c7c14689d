import { isConflict, isNotFound } from '../cluster/cluster-errors.ts';
import { finalizerOf, releaseOf } from '../finalization.ts';
import { apiVersionOf, type KubeObject } from '../kubernetes.ts';
import { observeResource } from '../plan/observed/observed.ts';
import { refTo, type World } from '../plan/observed/world.ts';
import { eventOfEnd } from '../plan/status/finalizer-change.ts';
import type { Finding } from '../plan/status/finding.ts';
import { keyOfResource } from '../reading/read.ts';
import { explain } from '../run/explain.ts';
import { postEvents } from '../run/post-events.ts';
import type { Run } from '../run/run.ts';
import type { ReconcileState } from '../run/state.ts';
import { record } from './perform.ts';
import { StaleError } from './stale.ts';

/** Adds our finalizer. If the server refuses, records a failed outcome and returns false. */
export const addFinalizer = (run: Run, state: ReconcileState): Promise<boolean> =>
  write(run, state, ({ kind, resource, identity }) => {
    const { name, namespace, uid, resourceVersion } = resource;
    const finalizers = [finalizerOf(kind, identity)];
    const inNamespace = namespace === '' ? {} : { namespace };
    const manifest = {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: { name, ...inNamespace, uid, resourceVersion, finalizers },
    };
    return run.cluster.apply(kind, manifest, { manager: identity.name });
  });

/**
 * Removes our finalizers. If the clean-up is incomplete, first reports that by an Event and in the log. If
 * the server refuses, records a failed outcome and returns false.
 */
export async function removeFinalizer(
  run: Run,
  state: ReconcileState,
  found: Finding | undefined,
): Promise<boolean> {
  const { world } = state;
  const event = eventOfEnd(world, found);
  if (event !== undefined) {
    const { reason, message } = event;
    // Posts the Event in another namespace, because none can be created in one that is being deleted.
    const resource = {
      ...world.resource,
      namespace: reason === 'NamespaceTerminating' ? '' : world.resource.namespace,
    };
    run.clients.log.warning('finalizer removed before the clean-up was complete', {
      resource: keyOfResource(world),
      reason,
      message,
    });
    await postEvents(run, { ...world, resource }, [event]);
  }
  return write(run, state, ({ kind, resource, identity }) =>
    run.cluster.patch(kind, resource, {
      manager: identity.name,
      resourceVersion: resource.resourceVersion,
      operations: releaseOf(resource),
    }),
  );
}

/** Writes the resource itself, locked to the version that was read. */
async function write(
  run: Run,
  state: ReconcileState,
  send: (world: World) => Promise<KubeObject>,
): Promise<boolean> {
  const { world } = state;
  const { kind, resource } = world;
  try {
    world.resource = observeResource(kind, await send(world), run.clients);
    return true;
  } catch (error) {
    if (isConflict(error)) throw new StaleError(`write the finalizers of ${keyOfResource(world)}`);
    if (isNotFound(error)) return true;
    const child = refTo(kind, resource.name);
    record(state, { child, result: 'failed', ...(await explain(run, kind, error)) });
    return false;
  }
}
