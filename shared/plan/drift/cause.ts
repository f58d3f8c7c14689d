import type { ObjectRef } from '../../kubernetes.ts';

/** Who sent a request, according to an audit entry. */
export interface Actor {
  /** On one line, at most 128 characters. */
  readonly user: string;
  /** Name of the client, such as `kubectl`. */
  readonly agent: string | undefined;
  /** When the server received the request, in RFC 3339. */
  readonly time: string;
}

/** A write of a child that an audit entry reported. */
export interface Cause extends Actor {
  readonly kind: string;
  /** Empty for a cluster-scoped child. */
  readonly namespace: string;
  readonly name: string;
  readonly verb: string;
}

/** Reports whether a write was of this child of a resource in `namespace`. */
export const isAbout = (
  cause: Cause,
  { kind, name, namespace: own }: ObjectRef,
  namespace: string,
): boolean => cause.kind === kind && cause.name === name && cause.namespace === (own ?? namespace);

export const isDeletion = ({ verb }: Cause): boolean =>
  verb === 'delete' || verb === 'deletecollection';

/** The latest by time, because entries arrive in any order. */
export const lastOf = (causes: readonly Cause[]): Cause | undefined =>
  causes.toSorted((a, b) => Date.parse(a.time) - Date.parse(b.time)).at(-1);
