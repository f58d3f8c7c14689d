import type { ApiRequest } from '../../client.ts';
/** A case of the API contract, as data: a sequence of requests and the server's answers. */
export interface ContractCase {
  readonly id: string;
  /** Why anyone relies on this. */
  readonly reason: string;
  readonly since?: Since;
  readonly steps: readonly Step[];
}

/** The first minor version of Kubernetes for which the case holds; on older versions, it must fail. */
export interface Since {
  /** As `1.35`. */
  readonly minor: string;
  /** The behaviour of older versions. */
  readonly before: string;
}

/**
 * Strings anywhere in a step may contain `{ns}`, the namespace of the case, and `{name.path}`, a value from
 * the answer to an earlier step with that name. A string that consists only of a placeholder takes the type
 * of the value.
 */
export interface Step {
  readonly name?: string;
  readonly request: ApiRequest;
  readonly expect: Expectation;
  readonly since?: Since;
  /** Repeated until the expectation is met, for the work of controllers. */
  readonly eventually?: true;
}

/**
 * The first minor version of Kubernetes with the expected answer, such as `1.36`, and the behaviour of older
 * ones. Any other answer is accepted from these.
 */
export interface Since {
  readonly minor: string;
  readonly before: string;
}

export interface Expectation {
  readonly status: number;
  /** The complete `Status`, without the fields that are equal in all. */
  readonly error?: ErrorBody;
  /** A part of the body: `undefined` means absent, a RegExp tests a string, lists match completely. */
  readonly body?: unknown;
  /** The values at these paths of the body. */
  readonly at?: Readonly<Record<string, unknown>>;
  /** The complete `metadata.managedFields`, ignoring times and order. */
  readonly managers?: readonly ManagersEntry[];
  readonly text?: string | RegExp;
  readonly headers?: Readonly<Record<string, string | RegExp | undefined>>;
  /** The relation of `metadata.resourceVersion` to that of an earlier step. */
  readonly version?: { readonly sameAs: string } | { readonly movedSince: string };
  /** The first events of a watch, without bookmarks unless the first expected event is one. */
  readonly events?: readonly { readonly type: string; readonly object: unknown }[];
}

export interface ErrorBody {
  readonly reason?: string;
  readonly message?: string | RegExp;
  readonly details?: unknown;
}

export interface ManagersEntry {
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource?: string;
  readonly fields: unknown;
}
