import type { ApiRequest } from '../../client.ts';
/** A case of the API contract: what a server answers to a sequence of requests, as data. */
export interface ContractCase {
  readonly id: string;
  /** Why anyone relies on this. */
  readonly reason: string;
  readonly since?: Since;
  readonly steps: readonly Step[];
}

/** The first minor version of Kubernetes that a case holds on; on those before it, it must fail. */
export interface Since {
  /** As `1.35`. */
  readonly minor: string;
  /** What the versions before it do. */
  readonly before: string;
}

/**
 * Strings anywhere in a step may hold `{ns}`, the case's own namespace, and `{name.path}`, a value
 * of the answer to an earlier step of that name; a string that is nothing else takes the value's type.
 */
export interface Step {
  readonly name?: string;
  readonly request: ApiRequest;
  readonly expect: Expectation;
  readonly since?: Since;
  /** Asked again until the expectation is met, for what controllers do in their own time. */
  readonly eventually?: true;
}

/**
 * The first minor version of Kubernetes that answers as a step expects, as `1.36`, and what those
 * before it do instead: anything but that.
 */
export interface Since {
  readonly minor: string;
  readonly before: string;
}

export interface Expectation {
  readonly status: number;
  /** The whole `Status` body but for what is the same in all. */
  readonly error?: ErrorBody;
  /** Contained in the body: `undefined` is absent, a RegExp tests a string, lists match in full. */
  readonly body?: unknown;
  /** Equal to what the body holds at these paths. */
  readonly at?: Readonly<Record<string, unknown>>;
  /** Equal to `metadata.managedFields`, apart from times and order. */
  readonly managers?: readonly ManagersEntry[];
  readonly text?: string | RegExp;
  readonly headers?: Readonly<Record<string, string | RegExp | undefined>>;
  /** How `metadata.resourceVersion` stands to that of an earlier step. */
  readonly version?: { readonly sameAs: string } | { readonly movedSince: string };
  /** The first events of a watch, bookmarks apart unless the first one expected is one. */
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
