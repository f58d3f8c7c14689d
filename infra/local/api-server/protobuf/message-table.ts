/**
 * One field of a protobuf message: its number, its name in JSON, its type, and what the Go
 * structure says of it: `r` repeated, `i` inlined into the object around it, `p` a pointer (a zero is
 * a value), `o` left out of JSON when empty.
 */
export type MessageField = readonly [number: number, name: string, type: string, flags: string];

/** The fields of every message that a request body may hold. */
export interface MessageTable {
  /** Message names by `apiVersion/kind`. */
  readonly kinds: Readonly<Record<string, string>>;
  readonly messages: Readonly<Record<string, readonly MessageField[]>>;
}
