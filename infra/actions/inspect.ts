import pMap from 'p-map';
import { isFinal, isNotFound, messageOf } from '../../shared/cluster/cluster-errors.ts';
import { childTypesOf, type Kind } from '../../shared/kinds/kind.ts';
import { groupResource, keyOf } from '../../shared/kubernetes.ts';
import type { ObservedResource } from '../../shared/plan/observed/observed-resource.ts';
import type { World } from '../../shared/plan/observed/world.ts';
import { previewResource, type ResourcePreview } from '../../shared/preview/preview.ts';
import {
  type ListedChildren,
  listChildren,
  listResources,
  worldOf,
} from '../../shared/reading/read.ts';
import { readReferences, readsFor, referencesOf } from '../../shared/reading/read-references.ts';
import { gated } from '../../shared/rollout/gate.ts';
import { type Area, splitArea } from '../../shared/run/area.ts';
import { listErrorOf, unlistedOf } from '../../shared/run/explain.ts';
import type { LiveWorld, Run } from '../../shared/run/run.ts';
import { type ResourceSync, syncStateOf } from './sync-state.ts';

export interface Inspected extends ResourceSync {
  readonly kind: Kind;
  readonly resource: ObservedResource;
}

export interface Inspection {
  readonly resources: readonly Inspected[];
  /** One line, with the error, for each type that could not be listed. Child types that are not served are omitted. */
  readonly failures: readonly string[];
  /** The error of a kind, if no kind could be listed and another try may succeed. */
  readonly unread?: string | undefined;
}

/**
 * Reads everything in an area and plans each resource as the next resync would. Plans suspended and observed
 * resources as if they were neither.
 *
 * Guarantees: lists each type once; with NAMESPACES, once in each namespace. If a list fails, reports it in `failures`
 * and plans everything else.
 */
export async function inspect(run: Run, area: Area, options: Options): Promise<Inspection> {
  const parts = await Promise.all(splitArea(area).map((part) => inspectPart(run, part, options)));
  const resources = parts.flatMap((part) => part.resources);
  return {
    resources: area.kinds.flatMap((kind) => resources.filter((one) => one.kind === kind)),
    failures: [...new Set(parts.flatMap((part) => part.failures))],
    unread: parts.every(({ unread }) => unread !== undefined) ? parts[0]?.unread : undefined,
  };
}

interface Options {
  readonly concurrency: number;
}

async function inspectPart(run: Run, area: Area, { concurrency }: Options): Promise<Inspection> {
  const { childrenOf, failed } = await listChildren(run, area);
  const failures = childTypesOf(area.kinds).flatMap((type) => {
    const error = failed.get(groupResource(type));
    return error === undefined || isNotFound(error) ? [] : [listErrorOf(type, area.kinds, error)];
  });
  const unlistedKinds: unknown[] = [];
  const found = await Promise.all(
    area.kinds.map(async (kind) => {
      const unlisted = await unlistedOf(run, kind, failed);
      const worlds = await worldsOf(run, area, { kind, childrenOf, unlisted }).catch(
        (error: unknown) => {
          unlistedKinds.push(error);
          failures.push(listErrorOf(kind, area.kinds, error));
          return [];
        },
      );
      return pMap(worlds, (world) => inspectOne(run, world), { concurrency });
    }),
  );
  const isUnread = unlistedKinds.length === area.kinds.length && !unlistedKinds.some(isFinal);
  return {
    resources: found.flat(),
    failures,
    unread: isUnread ? messageOf(unlistedKinds[0]) : undefined,
  };
}

async function worldsOf(
  run: Run,
  area: Area,
  {
    kind,
    childrenOf,
    unlisted,
  }: Pick<ListedChildren, 'childrenOf'> & Required<Pick<World, 'kind' | 'unlisted'>>,
): Promise<readonly LiveWorld[]> {
  const found: ObservedResource[] = [];
  await listResources(run, area, kind, (resource) => void found.push(resource));
  const references = found.map((resource) =>
    referencesOf({ identity: run.clients.identity, kind, resource }),
  );
  const reads = await readReferences(run, area, references.flat());
  return found.map((resource, at) => {
    const children = new Map(childrenOf(resource).map((child) => [keyOf(child), child]));
    const now = run.clients.now().getTime();
    const subject = { identity: run.clients.identity, kind, resource, unlisted, now };
    const world = worldOf(subject, children);
    return { ...world, reads: readsFor(references[at] ?? [], reads) };
  });
}

async function inspectOne(run: Run, world: LiveWorld): Promise<Inspected> {
  const { kind, resource } = world;
  const failed = (reason: string, message: string): Inspected => ({
    kind,
    resource,
    children: [],
    sync: { state: 'Failed', reason, message },
  });
  try {
    const known = await previewAsManaged(run, world);
    if (known === undefined) return failed('NotFound', 'deleted while it was being read');
    const at = { now: run.clients.now(), policy: run.policy.rollout };
    const { planned } = gated(known.planned, world, at);
    return { kind, resource, ...syncStateOf({ ...world, resource }, planned) };
  } catch (error) {
    return failed('NotPlanned', messageOf(error));
  }
}

/** Plans a resource as if neither suspended nor observed. Starts over if a read sets `suspended` or `observeOnly`. */
async function previewAsManaged(run: Run, world: LiveWorld): Promise<ResourcePreview | undefined> {
  world.resource = { ...world.resource, suspended: false, observeOnly: false };
  const known = await previewResource(run, world);
  const isLeft = world.resource.suspended || world.resource.observeOnly;
  return known !== undefined && isLeft ? previewAsManaged(run, world) : known;
}
