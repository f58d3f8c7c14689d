import { type ChildType, childTypes } from '../kinds/child-types.ts';
import type { Child, Kind } from '../kinds/define-kind.ts';
import { apiVersionOf, type ObjectRef } from '../kubernetes.ts';
import { beingDeleted, type Contested, type Decision, decide } from './decision.ts';
import type { ObservedChild, ObservedResource } from './observed.ts';

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
  const listed = new Set(resource.status.children?.map(keyOf));
  const refs = unseen(resource, world).filter((ref) => !keep.has(keyOf(ref)));
  if (refs.length > 0) return { state: 'unseen', refs };
  const decisions = wanted.map(({ child, ref }) => {
    const key = keyOf(ref);
    const known = { listed: listed.has(key), observed: world.children.get(key) };
    return {
      type: child.type,
      namespace: resource.namespace,
      child: ref,
      ...decide({ kind, resource, child, ref, ...known, contested }),
    };
  });
  return { state: 'planned', decisions, deletions: leftovers(resource, world, keep) };
}

const refOf = (child: Child): ObjectRef => ({
  apiVersion: apiVersionOf(child.type),
  kind: child.type.kind,
  name: child.name,
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
      const { namespace } = resource;
      return deleting
        ? [{ type, child, namespace, verb: 'wait', ...beingDeleted(child) }]
        : [{ type, child, namespace, verb: 'delete', uid, resourceVersion }];
    });
}

/** What the status lists and nobody has looked for: no list showed it, no read by name. */
export function unseen({ status }: ObservedResource, { children, absent }: World) {
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
