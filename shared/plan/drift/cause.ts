import type { ObjectRef } from '../../kubernetes.ts';

/** The sender of a request, according to an audit entry. */
export interface Actor {
  /** The user name, on one line and at most 128 characters long. */
  readonly user: string;
  /** The client's name, such as `kubectl`. */
  readonly agent: string | undefined;
  /** When the server received the request (RFC 3339). */
  readonly time: string;
}

/** A write of a child, as reported by an audit entry. */
export interface Cause extends Actor {
  readonly kind: string;
  /** Empty if the child is cluster-scoped. */
  readonly namespace: string;
  readonly name: string;
  readonly verb: string;
}

/** Reports whether the write was to this child; `namespace` is that of its resource. */
export const isAbout = (
  cause: Cause,
  { kind, name, namespace: own }: ObjectRef,
  namespace: string,
): boolean => cause.kind === kind && cause.name === name && cause.namespace === (own ?? namespace);

export const isDeletion = ({ verb }: Cause): boolean =>
  verb === 'delete' || verb === 'deletecollection';

/** Returns the latest by time, because entries arrive in any order. */
export const lastOf = (causes: readonly Cause[]): Cause | undefined =>
  causes.toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time)).at(-1);
