import { type ChildType, childTypes } from '../kinds/child-types.ts';
import type { Child, Kind } from '../kinds/define-kind.ts';
import { apiVersionOf, type JsonObject, type ObjectRef } from '../kubernetes.ts';
import { type Difference, drift, isOwnershipOnly } from './drift.ts';
import { handOverFields } from './hand-over.ts';
import { desiredFields } from './manifest.ts';
import type { ObservedChild, ObservedResource } from './observed.ts';
import { hasPartners } from './partners.ts';

/** What is to be done about one child, and why. Executed as it stands, or not at all. */
export type Decision = {
  readonly type: ChildType;
  readonly child: ObjectRef;
  readonly namespace: string;
} & (
  | { readonly verb: 'create'; readonly fields: JsonObject; readonly lost: boolean }
  | ({ readonly verb: 'update' } & Update)
  | ({ readonly verb: 'consolidate' } & Locked)
  | ({ readonly verb: 'delete' } & Locked)
  | { readonly verb: 'none' }
  | { readonly verb: 'wait' | 'defer' | 'block'; readonly reason: string; readonly message: string }
);

interface Locked {
  readonly uid: string;
  readonly resourceVersion: string;
}

interface Update extends Locked {
  readonly fields: JsonObject;
  readonly differences: readonly Difference[];
  /** Live values that a second manager takes before ours drops them. */
  readonly handOver: JsonObject | undefined;
  /** Something of others' has to be taken out first, or the server refuses the update. */
  readonly partners: boolean;
}

/** What is known of the children: everything observed, and names that were read and found absent. */
export interface World {
  readonly children: ReadonlyMap<string, ObservedChild>;
  readonly absent: ReadonlySet<string>;
}

export type Plan =
  | { readonly state: 'deleting' | 'suspended' }
  | { readonly state: 'invalid'; readonly message: string }
  /** Objects the status lists that no list showed: they have to be read by name before deciding. */
  | {
      readonly state: 'unseen';
      readonly refs: readonly (ObjectRef & { readonly type: ChildType })[];
    }
  /** `deletions` come last, once everything wanted is in place. */
  | {
      readonly state: 'planned';
      readonly decisions: readonly Decision[];
      readonly deletions: readonly Decision[];
    };

/** Paths of a child that a run has to leave to the next tick, because they are fought over. */
export type Contested = (child: ObservedChild, differences: readonly Difference[]) => boolean;

export const keyOf = ({ apiVersion, kind, name }: ObjectRef): string =>
  `${apiVersion}/${kind}/${name}`;

/**
 * Decides about every child of one resource. Pure and total: the same arguments, the same plan.
 *
 * Guarantees: nothing is decided for an object whose controller is not this very resource but to say
 * so; deletions come last and only of what is ours.
 */
export function plan(
  kind: Kind,
  resource: ObservedResource,
  world: World,
  contested?: Contested,
): Plan {
  if (resource.deleting) return { state: 'deleting' };
  if (resource.suspended) return { state: 'suspended' };
  const desired = kind.desired(resource);
  if ('invalid' in desired) return { state: 'invalid', message: desired.invalid };
  const wanted = desired.map((child) => ({ child, ref: refOf(child) }));
  const keep = new Set(wanted.map(({ ref }) => keyOf(ref)));
  const refs = unseen(resource, world).filter((ref) => !keep.has(keyOf(ref)));
  if (refs.length > 0) return { state: 'unseen', refs };
  const decisions = wanted.map(({ child, ref }) => {
    const observed = world.children.get(keyOf(ref));
    return {
      type: child.type,
      namespace: resource.namespace,
      child: ref,
      ...decide({ kind, resource, child, ref, observed, contested }),
    };
  });
  return { state: 'planned', decisions, deletions: leftovers(resource, world, keep) };
}

const refOf = (child: Child): ObjectRef => ({
  apiVersion: apiVersionOf(child.type),
  kind: child.type.kind,
  name: child.name,
});

interface Case {
  readonly kind: Kind;
  readonly resource: ObservedResource;
  readonly child: Child;
  readonly ref: ObjectRef;
  readonly observed: ObservedChild | undefined;
  readonly contested: Contested | undefined;
}

type Verb = Decision extends infer D
  ? D extends Decision
    ? Omit<D, 'type' | 'child' | 'namespace'>
    : never
  : never;

function decide({ kind, resource, child, ref, observed, contested }: Case): Verb {
  const fields = desiredFields(kind, resource, child);
  if (observed === undefined) {
    const lost = resource.status.children?.some((listed) => keyOf(listed) === keyOf(ref)) ?? false;
    return { verb: 'create', fields, lost };
  }
  if (observed.controller?.uid !== resource.uid) return foreign(kind, ref);
  if (observed.deleting) {
    return {
      verb: 'wait',
      reason: 'ChildDeleting',
      message: `${ref.kind} ${ref.name} is being deleted`,
    };
  }
  const lock = { uid: observed.uid, resourceVersion: observed.resourceVersion };
  const differences = drift(fields, observed);
  if (differences.length === 0)
    return observed.legacy ? { verb: 'consolidate', ...lock } : { verb: 'none' };
  const fixed = differences.find(
    (one) => isImmutable(child.type, one.path) && !isOwnershipOnly(one),
  );
  if (fixed !== undefined) return immutable(ref, fixed);
  if (contested?.(observed, differences)) return fought(ref, differences);
  return {
    verb: 'update',
    ...lock,
    fields,
    differences,
    handOver: handOverFields(child, fields, observed),
    partners: hasPartners(fields, observed),
  };
}

const foreign = ({ kind }: Kind, { name }: ObjectRef): Verb => ({
  verb: 'block',
  reason: 'ErrResourceExists',
  message: `Resource "${name}" already exists and is not managed by ${kind}`,
});

const isImmutable = (type: ChildType, path: string): boolean =>
  type.immutable.some(
    (fixed) => path === fixed || path.startsWith(`${fixed}.`) || path.startsWith(`${fixed}[`),
  );

const immutable = ({ kind, name }: ObjectRef, { path }: Difference): Verb => ({
  verb: 'block',
  reason: 'ImmutableFieldChanged',
  message: `${kind} ${name}: ${path} differs and cannot be changed; delete the ${kind} to have it recreated`,
});

const fought = ({ kind, name }: ObjectRef, differences: readonly Difference[]): Verb => ({
  verb: 'defer',
  reason: 'Contested',
  message: `${kind} ${name}: ${differences.map(({ path, writer }) => `${path} is set again and again by ${writer?.manager ?? 'another writer'}`).join('; ')}; repaired at ticks only`,
});

/** What is ours and no longer wanted; an object being deleted is on its way already. */
function leftovers(
  resource: ObservedResource,
  world: World,
  keep: ReadonlySet<string>,
): readonly Decision[] {
  return [...world.children.values()]
    .filter((child) => child.controller?.uid === resource.uid && !keep.has(keyOf(child)))
    .flatMap(({ apiVersion, kind, name, uid, resourceVersion, deleting }): Decision[] => {
      const type = typeOf({ apiVersion, kind, name });
      if (type === undefined) return [];
      const child = { apiVersion, kind, name };
      const message = `${kind} ${name} is being deleted`;
      const { namespace } = resource;
      return deleting
        ? [{ type, child, namespace, verb: 'wait', reason: 'ChildDeleting', message }]
        : [{ type, child, namespace, verb: 'delete', uid, resourceVersion }];
    });
}

function unseen({ status }: ObservedResource, { children, absent }: World) {
  return (status.children ?? []).flatMap((ref) => {
    const type = typeOf(ref);
    const known = children.has(keyOf(ref)) || absent.has(keyOf(ref));
    return type === undefined || known ? [] : [{ ...ref, type }];
  });
}

/** The child type an object is of; undefined for one that no kind has ever used. */
export const typeOf = ({ apiVersion, kind }: ObjectRef): ChildType | undefined =>
  childTypes.find((type) => type.kind === kind && apiVersionOf(type) === apiVersion);

/** Whether a plan has anything to send or to look up; where not, only the status may differ. */
export const isQuiet = (planned: Plan): boolean =>
  planned.state === 'planned'
    ? planned.deletions.length === 0 && planned.decisions.every(({ verb }) => verb === 'none')
    : planned.state !== 'unseen';
