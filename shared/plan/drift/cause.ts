import { present } from '../../json.ts';
import type { ObjectRef } from '../../kubernetes.ts';
import { nameInText } from '../../printable.ts';
import type { Actor, Difference } from './differences.ts';

/** A write to a child, according to an audit entry. */
export interface Cause extends Actor {
  readonly kind: string;
  /** Empty if the child is cluster-scoped. */
  readonly namespace: string;
  readonly name: string;
  readonly verb: string;
}

/** Reports whether the cause is a write to this child, whose resource is in `namespace`. */
export const isAbout = (
  cause: Cause,
  { kind, name, namespace: own }: ObjectRef,
  namespace: string,
): boolean => cause.kind === kind && cause.name === name && cause.namespace === (own ?? namespace);

export const isDeletion = ({ verb }: Cause): boolean =>
  verb === 'delete' || verb === 'deletecollection';

/** Compares the times, because audit entries arrive in any order. */
export const lastOf = (causes: readonly Cause[]): Cause | undefined =>
  causes.toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time)).at(-1);

/** Tolerance when comparing an audit entry's time with the later time in managedFields, which has whole seconds. */
const leewayMs = 2_000;

export interface Repaired {
  readonly child: ObjectRef;
  readonly differences?: readonly Difference[] | undefined;
  readonly existed?: boolean;
}

/**
 * Returns a repair's outcome with the user whose write the repair undid.
 *
 * Guarantees: uses only audit entries about this child: for a changed field, the entry at the time of its manager's
 * last write; for a removed field, the last write; for a deleted child, the last deletion.
 */
export function attributed<T extends Repaired>(
  outcome: T,
  namespace: string,
  causes: readonly Cause[],
): T & { readonly by?: Actor } {
  const own = causes.filter((cause) => isAbout(cause, outcome.child, namespace));
  if (own.length === 0) return outcome;
  const deletion = outcome.existed === true ? lastOf(own.filter(isDeletion)) : undefined;
  const changes = own.filter((cause) => !isDeletion(cause));
  const differences = outcome.differences?.map((one) => withActor(one, changes));
  return { ...outcome, ...present({ by: deletion && actorOf(deletion), differences }) };
}

function withActor(difference: Difference, causes: readonly Cause[]): Difference {
  const { writer, from } = difference;
  if (writer === undefined && from !== undefined) return difference;
  const time = writer?.time;
  const isFitting = (cause: Cause): boolean =>
    time === undefined || Math.abs(Date.parse(cause.time) - Date.parse(time)) <= leewayMs;
  const cause = lastOf(causes.filter(isFitting));
  if (cause === undefined) return difference;
  const actor = actorOf(cause);
  return { ...difference, writer: { manager: actor.agent ?? 'unknown', time, ...writer, actor } };
}

const actorOf = ({ user, agent, time }: Cause): Actor => ({ user, agent, time });

/** Formats ` by jane@example.com with kubectl at 10:02 UTC (audit log)`. Quotes a name that could be read as prose. */
export const describeActor = ({ user, agent, time }: Actor): string =>
  ` by ${nameInText(user)}${agent === undefined ? '' : ` with ${nameInText(agent)}`} at ${new Date(time).toISOString().slice(11, 16)} UTC (audit log)`;
