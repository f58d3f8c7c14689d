import pMap from 'p-map';
import { messageOf } from '../cluster/errors.ts';
import { type Pruning, pruningOf } from '../plan/pruning.ts';
import type { Scope } from '../scope.ts';
import { areaOf } from './area.ts';
import { describePlan, identityOf, type PlannedResource, requestsFor } from './planned-resource.ts';
import { previewResource } from './preview-resource.ts';
import type { ResyncOptions } from './resync.ts';
import { type Run, timestamp } from './run.ts';
import type { LiveWorld } from './state.ts';
import { type Incomplete, type Survey, survey } from './survey.ts';

/** What a run would do: plain data, the same for the same cluster, and without any value of a Secret. */
export interface Preview {
  /** Resources for which something will be done or reported. */
  readonly resources: readonly PlannedResource[];
  readonly total: number;
  /** Resources of these that are left alone. */
  readonly idle: { readonly suspended: number; readonly deleting: number };
  /** `allowed`, or which deletions are withheld and why. */
  readonly pruning: string;
  /** Kinds whose lists were incomplete: nothing is planned for them. */
  readonly incomplete: readonly Incomplete[];
  readonly requests: {
    /** Requests it took to plan; performing begins with as many, unless something changes. */
    readonly taken: number;
    /** Requests beyond that: writes, Events, and reads just before. */
    readonly toPerform: number;
  };
}

export interface PreviewedRun {
  readonly preview: Preview;
  /** What was read, to perform exactly this; nothing of what could not be planned. */
  readonly work: readonly LiveWorld[];
  readonly found: Survey;
  readonly pruning: Pruning;
  /** When it was read, or before, in milliseconds since the epoch. */
  readonly readAt: number;
}

export type PreviewOptions = Pick<ResyncOptions, 'area' | 'concurrency' | 'pruneLimit'>;

/**
 * Plans everything a Scope selects and writes nothing.
 *
 * Flow: survey → per resource: plan; what would be created is read by name, and planned again.
 * Guarantees: performing it, if nothing changes meanwhile and the server refuses nothing, sends exactly
 * these requests.
 * Caveats: another read of an Ingress that lost its labels, and of a resource that was read ten
 * seconds before, admission that rewrites, finalizers of a child to be deleted, and conditions that
 * others put into the status show only in performing.
 */
export async function previewRun(
  run: Run,
  scope: Scope,
  { area, concurrency, pruneLimit }: PreviewOptions,
): Promise<PreviewedRun> {
  const readAt = run.now().getTime();
  const found = await survey(run, areaOf(scope, area));
  const pruning = pruningOf(found.namespaces, pruneLimit);
  const seen = await pMap(found.work, (world) => previewOne(run, world, pruning), { concurrency });
  const known = seen.filter((one) => one !== undefined);
  const resources = known.map(({ planned }) => planned);
  return {
    ...{ found, pruning, readAt },
    work: known.filter(({ planned }) => planned.state !== 'failed').map(({ world }) => world),
    preview: {
      resources,
      total: found.resources,
      idle: found.idle,
      pruning: pruning.text,
      incomplete: [
        ...found.incomplete,
        ...found.unkept.map(({ key, error }) => ({ kind: key, error })),
      ],
      requests: {
        taken: Object.values(run.cluster.traffic).reduce((sum, { requests }) => sum + requests, 0),
        toPerform: resources.flatMap(requestsFor).length,
      },
    },
  };
}

interface Previewed {
  readonly world: LiveWorld;
  readonly planned: PlannedResource;
}

/** Undefined once the resource is gone or being deleted: nothing will be done. */
async function previewOne(
  run: Run,
  world: LiveWorld,
  { allows }: Pruning,
): Promise<Previewed | undefined> {
  try {
    const known = await previewResource(run, world);
    if (known === undefined || known.planned.state === 'deleting') return undefined;
    const prune = allows(world.resource);
    return { world, planned: describePlan(known, { now: timestamp(run.now()), prune }) };
  } catch (error) {
    const failed = { ...identityOf(world), state: 'failed' as const, message: messageOf(error) };
    return { world, planned: { ...failed, actions: [], events: [], commit: [] } };
  }
}
