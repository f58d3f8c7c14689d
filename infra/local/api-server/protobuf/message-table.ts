/**
 * One field of a protobuf message: number, JSON name, type, and flags of the Go struct: `r` repeated, `i`
 * inlined into the enclosing object, `p` a pointer (zero is a value), `o` omitted from JSON if empty.
 */
export type MessageField = readonly [number: number, name: string, type: string, flags: string];

/** The fields of every message that a request body may contain. */
export interface MessageTable {
  /** Message names by `apiVersion/kind`. */
  readonly kinds: Readonly<Record<string, string>>;
  readonly messages: Readonly<Record<string, readonly MessageField[]>>;
}
