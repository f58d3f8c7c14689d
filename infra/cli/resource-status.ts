import { childTypesOf, type Kind } from '../../shared/kinds/define-kind.ts';
import { groupResource, type ObjectRef, type ResourceType } from '../../shared/kubernetes.ts';
import {
  type ObservedChild,
  type ObservedResource,
  observeResource,
} from '../../shared/plan/observed.ts';
import { wishesOf } from '../../shared/plan/references.ts';
import { keyOf, refOf, type World } from '../../shared/plan/world.ts';
import type { Area } from '../../shared/reconcile/area.ts';
import { listErrorOf } from '../../shared/reconcile/list-error.ts';
import { listChildren, listResources } from '../../shared/reconcile/listing.ts';
import { readReferences } from '../../shared/reconcile/references.ts';
import type { Run } from '../../shared/reconcile/run.ts';

/** The state of one resource, from its own status and its children. */
export interface ResourceStatusView {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly generation: number;
  readonly observedGeneration?: number;
  /** Of the condition Ready; Unknown before the first run. */
  readonly ready: string;
  readonly reason: string;
  readonly message: string;
  /** Why it is left alone. */
  readonly state?: 'being deleted' | 'suspended';
  /** When Ready last changed. */
  readonly changed?: string;
  readonly children: readonly ChildStatus[];
}

export interface ChildStatus {
  readonly kind: string;
  readonly name: string;
  /** Only of a child of a cluster-scoped resource. */
  readonly namespace?: string;
  /** Absent also where it has lost our labels. */
  readonly state: 'Current' | 'InProgress' | 'Failed' | 'Deleting' | 'Unwanted' | 'Absent';
  readonly message?: string;
  /** The latest change of its fields, its status aside. */
  readonly changed?: { readonly manager: string; readonly time: string };
}

export interface ResourceStatuses {
  readonly resources: readonly ResourceStatusView[];
  readonly failures: readonly string[];
}

/** Lists everything in an area; a kind that cannot be listed is reported and does not stop the others. */
export async function readStatuses(run: Run, area: Area): Promise<ResourceStatuses> {
  const { childrenOf, failed } = await listChildren(run, area);
  const failures = childTypesOf(area.kinds).flatMap((type) => {
    const error = failed.get(groupResource(type));
    return error === undefined ? [] : [failure(type, area.kinds, error)];
  });
  const resources = await Promise.all(
    area.kinds.map(async (kind) => {
      const found: ObservedResource[] = [];
      await listResources(run, area, kind, (live) => {
        found.push(observeResource(kind, live, run));
      }).catch((error: unknown) => {
        failures.push(failure(kind, area.kinds, error));
      });
      const references = found.map((resource) => kind.references(resource));
      const all = references.flatMap((some) => ('invalid' in some ? [] : some));
      const reads = await readReferences(run, area, all);
      return found.map((resource) => statusOf({ kind, resource, reads }, childrenOf(resource)));
    }),
  );
  return { resources: resources.flat(), failures: [...new Set(failures)] };
}

/** What the resource wants; what it has, where that is not known. */
function wantedBy(world: Pick<World, 'kind' | 'resource' | 'reads'>): readonly ObjectRef[] {
  const wishes = wishesOf(world);
  if ('children' in wishes) return wishes.children.map(refOf);
  return 'invalid' in wishes ? [] : (world.resource.status.children ?? []);
}

const failure = (type: ResourceType, kinds: readonly Kind[], error: unknown): string =>
  `${groupResource(type)} could not be listed: ${listErrorOf(type, kinds, error)}`;

function statusOf(
  { kind, resource, reads }: Required<Pick<World, 'kind' | 'resource' | 'reads'>>,
  children: readonly ObservedChild[],
): ResourceStatusView {
  const { name, namespace, generation, status } = resource;
  const ready = status.conditions?.find(({ type }) => type === 'Ready');
  const state = resource.deleting ? 'being deleted' : resource.suspended ? 'suspended' : undefined;
  const refs = wantedBy({ kind, resource, reads });
  const keys = new Set(refs.map(keyOf));
  const { observedGeneration } = status;
  return {
    kind: kind.kind,
    namespace,
    name,
    generation,
    ...(observedGeneration === undefined ? {} : { observedGeneration }),
    ready: ready?.status ?? 'Unknown',
    reason: ready?.reason ?? 'NotLookedAt',
    message: ready?.message ?? 'no run has reconciled it yet',
    ...(state === undefined ? {} : { state }),
    ...(ready === undefined ? {} : { changed: ready.lastTransitionTime }),
    children: [
      ...refs.map((ref) => {
        const child = children.find((one) => keyOf(one) === keyOf(ref));
        return child === undefined
          ? { ...nameOf(ref), state: 'Absent' as const }
          : childStatusOf(child, true);
      }),
      ...children
        .filter((child) => !keys.has(keyOf(child)))
        .map((child) => childStatusOf(child, false)),
    ],
  };
}

const nameOf = ({ kind, name, namespace }: ObjectRef): Omit<ChildStatus, 'state'> => ({
  kind,
  name,
  ...(namespace === undefined ? {} : { namespace }),
});

function childStatusOf(child: ObservedChild, isWanted: boolean): ChildStatus {
  const { deleting, readiness, ours, others } = child;
  const [last] = [...(ours === undefined ? [] : [ours]), ...others]
    .flatMap(({ manager, time }) => (time === undefined ? [] : [{ manager, time }]))
    .toSorted((a, b) => b.time.localeCompare(a.time));
  const state = deleting ? 'Deleting' : isWanted ? readiness.state : 'Unwanted';
  return {
    ...nameOf(child),
    state,
    ...('message' in readiness ? { message: readiness.message } : {}),
    ...(last === undefined ? {} : { changed: last }),
  };
}
