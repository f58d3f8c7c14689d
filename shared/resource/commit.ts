import { isConflict, isNotFound, lostAnswer } from '../cluster/cluster-errors.ts';
import { apiVersionOf, type JsonObject, type KubeObject, titleOf } from '../kubernetes.ts';
import {
  formerHoldersOf,
  type ObservedResource,
  specificationOf,
} from '../plan/observed/observed.ts';
import type { ResourceStatus } from '../plan/observed/recorded-status.ts';
import type { World } from '../plan/observed/world.ts';
import type { EventRecord } from '../plan/status/kubernetes-events.ts';
import { withoutStrays } from '../plan/status/status.ts';
import { isSameSpecification, readResource } from '../reading/read.ts';
import { postEvents } from '../run/post-events.ts';
import type { Run } from '../run/run.ts';
import { StaleError } from './stale.ts';

export interface Conclusion {
  /** Returns the status to write for a resource; undefined if only times would change. */
  readonly status: (resource: ObservedResource) => ResourceStatus | undefined;
  readonly events: readonly EventRecord[];
  /** True if this run wrote something, or may have. */
  readonly wrote: boolean;
  /** True if the status reports that the resource was given up. It is written even if the resource has changed. */
  readonly unlocked?: boolean;
}

/**
 * Ends a resource's run: posts Events, then writes the status, locked to the version that was planned.
 *
 * Flow: after a conflict the resource is read again. If its spec is the same, only the status is computed
 * again; otherwise throws a StaleError, so that the resource is planned again. If other writers keep changing
 * the resource but not its spec, the last attempt is locked to the uid alone, and its response shows whether
 * the spec was edited.
 *
 * Guarantees: everything that this run wrote was for the newest spec, or a StaleError is thrown. Returns
 * whether the status was written. Caveats: the last attempt may replace a status that another run just wrote
 * for a newer spec. The resource is then planned and its status written again.
 */
export async function commit(run: Run, world: World, conclusion: Conclusion): Promise<boolean> {
  if (conclusion.wrote || conclusion.status(world.resource) !== undefined)
    await postEvents(run, world, conclusion.events);
  let { resource } = world;
  let lost = false;
  for (let tries = conclusion.unlocked ? maxTries : 1; tries <= maxTries; tries++) {
    const status = conclusion.status(resource);
    if (status === undefined && (!conclusion.wrote || conclusion.unlocked)) return lost;
    const locked = tries < maxTries;
    const written =
      status !== undefined && (await writeStatus(run, { ...world, resource }, { status, locked }));
    if (status !== undefined && typeof written === 'boolean') return written;
    if (conclusion.unlocked) return written === 'edited';
    lost = written === 'lost';
    const fresh = await readResource(run, world);
    if (fresh === undefined) return false;
    if (!isSameSpecification(fresh, resource)) break;
    if (status === undefined) return false;
    resource = fresh;
  }
  throw new StaleError(`commit ${titleOf({ ...resource, kind: world.kind.kind })}`);
}

const maxTries = 5;

async function writeStatus(
  run: Run,
  world: World,
  { status, locked }: { readonly status: ResourceStatus; readonly locked: boolean },
): Promise<boolean | 'conflict' | 'lost' | 'edited'> {
  const { kind, resource } = world;
  const { name, namespace, uid, resourceVersion } = resource;
  const inNamespace = namespace === '' ? {} : { namespace };
  const manifest = {
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    metadata: { name, ...inNamespace, uid, ...(locked ? { resourceVersion } : {}) },
    status: status as JsonObject,
  };
  try {
    const as = { manager: run.clients.identity.name, subresource: 'status' } as const;
    const applied = await run.cluster.apply(kind, manifest, as);
    if (!isSameSpecification(specificationOf(applied), resource)) return 'edited';
    const holders = formerHoldersOf(applied, run.clients.identity);
    const live = await releaseFormer(run, world, { applied, holders });
    const operations = withoutStrays(kind, live.status, status);
    if (operations.length === 0) return true;
    const { resourceVersion: written } = live.metadata;
    await run.cluster.patch(kind, resource, { ...as, resourceVersion: written, operations });
    return true;
  } catch (error) {
    if (isConflict(error)) return lostAnswer(error) ? 'lost' : 'conflict';
    if (isNotFound(error)) return false;
    throw error;
  }
}

/** Makes each former name give up the status by an empty apply, which removes what no other manager holds. */
async function releaseFormer(
  run: Run,
  { kind, resource: { name, namespace, uid } }: World,
  { applied, holders }: { readonly applied: KubeObject; readonly holders: readonly string[] },
): Promise<KubeObject> {
  let live = applied;
  for (const manager of holders) {
    const metadata = { name, namespace, uid, resourceVersion: live.metadata.resourceVersion };
    const manifest = { apiVersion: apiVersionOf(kind), kind: kind.kind, metadata };
    live = await run.cluster.apply(kind, manifest, { manager, subresource: 'status' });
  }
  return live;
}
