/** Who sent a request, according to an audit entry. */
export interface Actor {
  /** On one line, at most 128 characters. */
  readonly user: string;
  /** The client by name: `kubectl`. */
  readonly agent: string | undefined;
  /** When the server received the request, in RFC 3339. */
  readonly time: string;
}

/** A write of a child that an audit entry reported. */
export interface Cause extends Actor {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly verb: string;
}
