import type { ChildType } from '../kinds/child-types.ts';
import type { Child, Kind } from '../kinds/define-kind.ts';
import type { Json, JsonObject, ObjectRef } from '../kubernetes.ts';
import { type Contested, rewrittenOnAdmission } from './contest.ts';
import { type Difference, drift } from './drift.ts';
import { missingData } from './generated.ts';
import { handOverFields } from './hand-over.ts';
import { immutableChange } from './immutable.ts';
import { desiredFields } from './manifest.ts';
import type { ObservedChild, ObservedResource } from './observed.ts';
import { opens } from './opening.ts';
import { isOrphan, isOwn } from './ownership.ts';
import { hasPartners } from './partners.ts';
import { refTo, type Unseen, type World } from './world.ts';

/** What is to be done about one child, and why. Executed exactly so, or not at all. */
export type Decision = {
  readonly type: ChildType;
  readonly child: ObjectRef;
  readonly namespace: string;
  /** Keys of children that have to be as wanted when this is executed; if one is not, this waits. */
  readonly needs?: readonly string[];
} & (
  | ({ readonly verb: 'create'; readonly lost: boolean } & Fields)
  | ({ readonly verb: 'update' } & Update)
  | ({ readonly verb: 'consolidate' } & Locked)
  /** Removes paths from an unwanted Ingress whose other paths have to go before it is deleted. */
  | ({ readonly verb: 'withdraw'; readonly rules: readonly Json[] } & Locked)
  /** With a reason: the child is wanted, and acts on an object of another. */
  | ({ readonly verb: 'delete'; readonly reason?: string; readonly message?: string } & Locked)
  | { readonly verb: 'none' }
  | { readonly verb: 'wait' | 'defer' | 'block'; readonly reason: string; readonly message: string }
);

/** A wanted child and what is to be done about it. */
export interface Decided {
  readonly child: Child;
  readonly observed: ObservedChild | undefined;
  /** An object of that name exists and belongs to another. */
  readonly foreign: boolean;
  readonly decision: Decision;
}

/** What a write is locked to: the object as observed. */
export interface Locked {
  readonly uid: string;
  readonly resourceVersion: string;
  /** Locked instead to what the last write of this run to the same child returned. */
  readonly follows?: true;
}

interface Fields {
  readonly fields: JsonObject;
  /** It was repaired less than 30 s ago: repaired again, as it may admit requests, but not reported again. */
  readonly repeated?: true;
  /** Keys of Secret data to be generated at random when this is executed, by a separate manager. */
  readonly generates?: readonly string[];
  /** Objects that must not exist then. */
  readonly heldBy?: readonly Unseen[];
}

interface Update extends Locked, Fields {
  readonly differences: readonly Difference[];
  /** Live values that a second manager takes before ours drops them. */
  readonly handOver: JsonObject | undefined;
  /** Something that others set has to be removed first, or the server refuses the update. */
  readonly partners: boolean;
}

interface Case {
  readonly kind: Kind;
  readonly resource: ObservedResource;
  readonly child: Child;
  readonly ref: ObjectRef;
  readonly world: World;
  /** The status lists it: it existed before. */
  readonly listed: boolean;
  readonly observed: ObservedChild | undefined;
  readonly contested: Contested | undefined;
}

export type Verb = Decision extends infer D
  ? D extends Decision
    ? Omit<D, 'type' | 'child' | 'namespace' | 'needs'>
    : never
  : never;

/** Whether executing it changes the child. */
export const isWriting = ({ verb }: Decision): boolean =>
  ['create', 'update', 'consolidate', 'withdraw', 'delete'].includes(verb);

/** Decides about one wanted child; one whose controller is another object is only reported. */
export function decide(one: Case): Verb {
  const { kind, resource, child, ref, listed, observed } = one;
  if (child.blocked !== undefined) return { verb: 'block', ...child.blocked };
  if (isForeign(one)) return foreign(kind, ref);
  if (observed?.deleting) return { verb: 'wait', ...beingDeleted(ref) };
  if (observed?.unreadable !== undefined) return unreadable(ref, observed.unreadable);
  const missing = missingData(one);
  if ('verb' in missing) return missing;
  const heldBy = child.generated?.heldBy.map(({ type, name }) => ({ ...refTo(type, name), type }));
  const generates = missing.length === 0 ? {} : { generates: missing, heldBy: heldBy ?? [] };
  const fields = desiredFields(kind, resource, child);
  if (observed !== undefined) return change(one, observed, { fields, ...generates });
  const write = { verb: 'create', fields, lost: listed, ...generates } as const;
  return listed ? unlessFought(one, write, []) : write;
}

/** Whether an object of the wanted name belongs to another and is not to be adopted. */
export const isForeign = ({
  kind,
  resource,
  child,
  observed,
}: Pick<Case, 'kind' | 'resource' | 'child' | 'observed'>): boolean =>
  observed !== undefined &&
  !isOwn(resource, observed) &&
  !(child.onCollision === 'adopt-if-unowned' && isOrphan(kind, resource, observed));

function change(one: Case, observed: ObservedChild, { fields, ...generation }: Fields): Verb {
  const { child, ref, contested } = one;
  const { generates } = generation;
  const lock = { uid: observed.uid, resourceVersion: observed.resourceVersion };
  const differences = drift(fields, observed);
  if (differences.length === 0 && generates === undefined) {
    const attempt = { verb: 'consolidate', child: ref, observed, differences } as const;
    return observed.legacy && contested?.(attempt) === undefined
      ? { verb: 'consolidate', ...lock }
      : { verb: 'none' };
  }
  const fixed = immutableChange(differences, fields, observed);
  if (fixed !== undefined) return immutable(ref, fixed);
  const write = {
    verb: 'update',
    ...lock,
    fields,
    ...generation,
    differences,
    handOver: handOverFields(child, fields, observed),
    partners: hasPartners(fields, observed),
  } as const;
  return unlessFought(one, write, differences);
}

/** A write that would be undone waits for the next tick; not one that restricts access, unless in vain. */
function unlessFought(
  { child, ref, observed, contested }: Case,
  write: Extract<Verb, { readonly verb: 'create' | 'update' }>,
  differences: readonly Difference[],
): Verb {
  const fight = contested?.({ verb: write.verb, child: ref, observed, differences });
  if (fight === undefined) return write;
  const isUrgent = fight.reason !== rewrittenOnAdmission && opens(child, observed, differences);
  return isUrgent ? { ...write, repeated: true } : { verb: 'defer', ...fight };
}

export const beingDeleted = ({ kind, name }: ObjectRef) => ({
  reason: 'ChildDeleting',
  message: `${kind} ${name} is being deleted`,
});

export const exposurePending = ({ kind, name }: ObjectRef) => ({
  reason: 'ExposurePending',
  message: `${kind} ${name} waits for the Ingress before it, so that nobody is let in who should not be`,
});

export const waitingFor = ({ kind, name }: ObjectRef, key: string) => ({
  reason: 'DependencyPending',
  message: `${kind} ${name} waits for ${key.split('/').slice(-2).join(' ')}`,
});

/** Neither written nor deleted: the effect of a write is unknown. */
export const unreadable = ({ kind, name }: ObjectRef, why: string) =>
  ({
    verb: 'block',
    reason: 'UnreadableChild',
    message: `${kind} ${name} cannot be read: ${why}`,
  }) as const;

const foreign = ({ kind }: Kind, { name }: ObjectRef): Verb => ({
  verb: 'block',
  reason: 'ErrResourceExists',
  message: `Resource "${name}" already exists and is not managed by ${kind}`,
});

const immutable = ({ kind, name }: ObjectRef, path: string): Verb => ({
  verb: 'block',
  reason: 'ImmutableFieldChanged',
  message: `${kind} ${name}: ${path} differs and cannot be changed; delete the ${kind} to have it recreated`,
});
