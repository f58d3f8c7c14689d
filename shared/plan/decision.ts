import type { ChildType } from '../kinds/child-types.ts';
import type { Child, Kind } from '../kinds/define-kind.ts';
import type { JsonObject, ObjectRef } from '../kubernetes.ts';
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

/** Paths of a child that a run has to leave to the next tick, because they are fought over. */
export type Contested = (child: ObservedChild, differences: readonly Difference[]) => boolean;

interface Case {
  readonly kind: Kind;
  readonly resource: ObservedResource;
  readonly child: Child;
  readonly ref: ObjectRef;
  /** The status lists it: it has been there. */
  readonly listed: boolean;
  readonly observed: ObservedChild | undefined;
  readonly contested: Contested | undefined;
}

type Verb = Decision extends infer D
  ? D extends Decision
    ? Omit<D, 'type' | 'child' | 'namespace'>
    : never
  : never;

/** Decides about one wanted child; one whose controller is not this very resource is only told of. */
export function decide({ kind, resource, child, ref, listed, observed, contested }: Case): Verb {
  const fields = desiredFields(kind, resource, child);
  if (observed === undefined) return { verb: 'create', fields, lost: listed };
  if (observed.controller?.uid !== resource.uid) return foreign(kind, ref);
  if (observed.deleting) return { verb: 'wait', ...beingDeleted(ref) };
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

export const beingDeleted = ({ kind, name }: ObjectRef) => ({
  reason: 'ChildDeleting',
  message: `${kind} ${name} is being deleted`,
});

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
