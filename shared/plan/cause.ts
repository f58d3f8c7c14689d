/** Who sent a request, as an audit entry tells it. */
export interface Actor {
  /** On one line and at most 128 characters long, as all that an entry says. */
  readonly user: string;
  /** The client by name: `kubectl`. */
  readonly agent: string | undefined;
  /** RFC 3339, when the server got the request. */
  readonly time: string;
}

/** A write of a child that an audit entry told of. */
export interface Cause extends Actor {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly verb: string;
}
