import type { Exchange } from '../requests/exchange.ts';
import type { Verb } from '../requests/request-info.ts';
import { assertFault, type statusCodes } from './check-fault.ts';

/** The requests that fail, and how. A fault without conditions matches every request. */
export interface Fault {
  readonly verb?: Verb;
  readonly resource?: string;
  readonly group?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** The user whose requests fail; default: every user. */
  readonly user?: string;
  /** The first matching request that fails, counted from 1. */
  readonly nth?: number;
  /** Number of requests that fail in a row; default: 1 with `nth`, otherwise all until the fault is removed. */
  readonly times?: number;
  readonly effect: FaultEffect;
}

export type FaultEffect =
  | {
      readonly kind: 'status';
      readonly code: (typeof statusCodes)[number];
      /** Seconds, for 429 and 503. */
      readonly retryAfter?: number;
    }
  /** The connection breaks: before anything happened, or after the write was stored. */
  | { readonly kind: 'drop'; readonly when: 'before' | 'after' }
  | { readonly kind: 'delay'; readonly ms: number };

export interface FaultTarget {
  readonly verb: string;
  readonly resource: string;
  readonly group: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly user: string;
}

/** The attributes by which faults, interceptors and the log identify a request. */
export function faultTargetOf({ info, method }: Exchange, user: string): FaultTarget {
  return {
    verb: info?.verb ?? method.toLowerCase(),
    resource: info?.plural ?? '',
    group: info?.group ?? '',
    subresource: info?.subresource ?? '',
    namespace: info?.namespace ?? '',
    name: info?.name ?? '',
    user,
  };
}

export interface Faults {
  /** Adds a fault, or throws an OptionError that names what is wrong with it; returns a function that removes it. */
  readonly add: (fault: Fault) => () => void;
  readonly clear: () => void;
}

/** Keeps the faults and finds the one that matches a request. */
export function createFaults(): Faults & {
  readonly next: (target: FaultTarget) => FaultEffect | undefined;
} {
  const active = new Map<Fault, { seen: number }>();
  return {
    add: (fault) => {
      assertFault(fault);
      const own = { ...fault };
      active.set(own, { seen: 0 });
      return () => active.delete(own);
    },
    clear: () => active.clear(),
    next: (target) => {
      let effect: FaultEffect | undefined;
      for (const [fault, count] of active) {
        if (!concerns(fault, target)) continue;
        count.seen += 1;
        if (effect === undefined && isDue(fault, count.seen)) effect = fault.effect;
      }
      return effect;
    },
  };
}

const matchedFields = [
  'verb',
  'resource',
  'group',
  'subresource',
  'namespace',
  'name',
  'user',
] as const;

function concerns(fault: Fault, target: FaultTarget): boolean {
  return matchedFields.every((one) => fault[one] === undefined || fault[one] === target[one]);
}

function isDue({ nth, times }: Fault, seen: number): boolean {
  const first = nth ?? 1;
  const count = times ?? (nth === undefined ? Number.POSITIVE_INFINITY : 1);
  return seen >= first && seen < first + count;
}
