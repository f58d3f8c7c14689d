import type { Verb } from '../requests/request-info.ts';
import { assertFault, type STATUS_CODES } from './check-fault.ts';

/** What goes wrong, with which request. Without a condition a fault meets every request. */
export interface Fault {
  readonly verb?: Verb;
  readonly resource?: string;
  readonly group?: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** The user whose requests fail; everybody's when left out. */
  readonly user?: string;
  /** The first matching request that fails, counted from 1. */
  readonly nth?: number;
  /** How many fail in a row from there; 1 with `nth`; without `nth` all, until it is taken back. */
  readonly times?: number;
  readonly effect: FaultEffect;
}

export type FaultEffect =
  | {
      readonly kind: 'status';
      readonly code: (typeof STATUS_CODES)[number];
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

export interface Faults {
  /** Adds a fault, or throws an OptionError that names what is wrong with it; the answer takes it back. */
  readonly add: (fault: Fault) => () => void;
  readonly clear: () => void;
}

/** Keeps the faults and tells which one a request meets. */
export const createFaults = (): Faults & {
  readonly next: (target: FaultTarget) => FaultEffect | undefined;
} => {
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
};

const CONDITIONS = [
  'verb',
  'resource',
  'group',
  'subresource',
  'namespace',
  'name',
  'user',
] as const;

const concerns = (fault: Fault, target: FaultTarget): boolean =>
  CONDITIONS.every((one) => fault[one] === undefined || fault[one] === target[one]);

const isDue = ({ nth, times }: Fault, seen: number): boolean => {
  const first = nth ?? 1;
  const count = times ?? (nth === undefined ? Number.POSITIVE_INFINITY : 1);
  return seen >= first && seen < first + count;
};
