import type { FoundChild } from '../../kinds/child-type.ts';
import type { NewCondition } from '../../kinds/condition-types.ts';
import { type JsonObject, keyOf } from '../../kubernetes.ts';
import { codeFails, finderOf } from '../decision/desired.ts';
import type { Outcome } from '../decision/outcome.ts';
import type { ConditionSummary } from '../observed/conditions.ts';
import type { ObservedChild } from '../observed/observed.ts';
import type { World } from '../observed/world.ts';
import { type EventRecord, eventsFor } from './kubernetes-events.ts';

/** The part of a finding from which a kind computes its own fields and conditions of the status, and the result. */
export interface OwnStatus {
  readonly summary: ConditionSummary;
  /** The message of a stall's Event. Default: the condition's message, which may add a remedy. */
  readonly event?: string;
  /** The desired children that exist and are ours, in the kind's order. */
  readonly desired: readonly ObservedChild[];
  readonly references?: World['reads'];
  /** Completed children whose Jobs are gone, by completion (`completionOf`), as `statusOf` receives them. */
  readonly completions?: ReadonlyMap<string, FoundChild>;
  /** From `statusOf` and `conditionsOf`. If undefined, these fields and conditions stay as they are. */
  readonly own?:
    | { readonly fields: JsonObject; readonly conditions: readonly NewCondition[] }
    | undefined;
  /** The error, if the kind's code throws. */
  readonly error?: string;
}

/** Adds what `statusOf` and `conditionsOf` return for a finding. If they throw, the resource is Stalled. */
export function withOwnStatus<Found extends OwnStatus>(
  { kind, resource }: Pick<World, 'kind' | 'resource'>,
  found: Found,
): Found {
  const { name, namespace, uid, labels, spec } = resource;
  const { summary, desired, completions = new Map(), references: reads } = found;
  const there = new Set(desired.map(keyOf));
  const gone = [...completions.values()].filter((one) => !there.has(keyOf(one)));
  const children = [...desired, ...gone];
  const finder = () => finderOf({ kind, resource, reads });
  const input = { name, namespace, uid, labels, spec, state: summary.state, children, finder };
  try {
    const own = { fields: kind.statusOf(input), conditions: kind.conditionsOf(input) };
    return { ...found, own };
  } catch (error) {
    return found.error === undefined ? stalledBy(error, found) : found;
  }
}

export function stalledBy<Found extends OwnStatus>(error: unknown, found: Found): Found {
  const fails = codeFails(error);
  const others = found.summary.state === 'Stalled' ? [found.summary.message] : [];
  const message = [fails, ...others].join('; ');
  const summary = { state: 'Stalled', reason: 'InvalidSpec', message } as const;
  return { ...found, own: undefined, summary, event: message, error: fails };
}

/** Returns the Events, for the resource as it was before the run. If `notes` throws, the finding is Stalled. */
export function reportOf<Found extends OwnStatus>(
  { kind, resource }: Pick<World, 'kind' | 'resource'>,
  found: Found,
  outcomes: readonly Outcome[],
): { readonly found: Found; readonly events: readonly EventRecord[] } {
  try {
    return { found, events: eventsFor(kind, resource, { ...found, outcomes }) };
  } catch (error) {
    const silent = { ...kind, notes: () => [] };
    const stalled = stalledBy(error, found);
    return { found: stalled, events: eventsFor(silent, resource, { ...stalled, outcomes }) };
  }
}
