import type { Status } from '../errors/status.ts';
import type { JsonObject } from '../json/value.ts';
import type { ParsedRequest, Verb } from '../requests/request-info.ts';
import type { AssertGrant } from '../requests/write-options.ts';
import type { Served } from '../resources/resource.ts';
import type { Target } from '../resources/target.ts';
import type { Stored } from '../storage/stored.ts';

/** One authorized request to a served resource. */
export interface Call extends ParsedRequest {
  readonly verb: Verb;
  readonly target: Target;
  /** Throws if the caller may not create the target; an apply that creates needs this verb, too. */
  readonly authorizeCreate: () => void;
  readonly assertGrant: AssertGrant;
}

/** What a request came to. */
export type Outcome =
  | {
      readonly kind: 'object';
      readonly code: number;
      readonly stored: Stored;
      readonly served: Served;
    }
  | ListOutcome
  | {
      readonly kind: 'value';
      readonly code: number;
      readonly value: JsonObject;
      readonly isReview?: true;
    }
  | { readonly kind: 'status'; readonly code: number; readonly status: Omit<Status, 'code'> }
  | { readonly kind: 'watch'; readonly served: Served; readonly open: OpenWatch };

export interface ListOutcome {
  readonly kind: 'list';
  readonly served: Served;
  readonly entries: readonly Stored[];
  readonly revision: number;
  readonly next?: string;
  readonly remaining?: number;
}

export type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly stored: Stored }
  | { readonly type: 'BOOKMARK'; readonly revision: number; readonly initialEventsEnd: boolean }
  | { readonly type: 'ERROR'; readonly status: Status };

/** Starts a watch; sends the initial events before it returns. */
export type OpenWatch = (watcher: Watcher) => () => void;

export interface Watcher {
  readonly send: (event: WatchEvent) => void;
  readonly end: () => void;
}
