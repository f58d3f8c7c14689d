import type { Status } from '../errors/status.ts';
import type { JsonMap } from '../objects/object.ts';
import type { Served } from '../resources/resource.ts';
import type { Stored } from '../storage/stored.ts';
import type { Target } from '../writes/target.ts';
import type { Verb } from './request-info.ts';
import type { User } from './user.ts';

/** One request to a served resource, from the network or from a controller. */
export interface Call {
  readonly verb: Verb;
  readonly target: Target;
  readonly query: URLSearchParams;
  readonly user: User;
  readonly userAgent: string;
  /** The media type of the body, without parameters. */
  readonly contentType: string;
  readonly body: string;
  /** Hears what the client should be warned of. */
  readonly warn: (text: string) => void;
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
      readonly value: JsonMap;
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

/** Starts a watch: what is already known is sent before it returns. */
export type OpenWatch = (watcher: Watcher) => () => void;

export interface Watcher {
  readonly send: (event: WatchEvent) => void;
  readonly end: () => void;
}
