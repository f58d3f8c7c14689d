import { groupResource } from '../../shared/kubernetes.ts';
import { kinds } from '../support/config.ts';
import { differencesIn, type NamespaceState } from './namespace-state.ts';
import type { Record } from './record.ts';

/** The outcome of a run in one world, killed or not. */
export interface Outcome {
  readonly requests: number;
  readonly state: NamespaceState;
  readonly faults: readonly string[];
  /** Resources, such as `Foo f`, whose children the killed run wrote without writing their status. */
  readonly unreported: ReadonlySet<string>;
}

/** Lists the keys of data that was generated twice. */
export function duplicates({ writes }: Record): readonly string[] {
  const made = writes.filter(({ manager }) => manager === 'serverless-reconciler-generated');
  const keys = made.map(({ key }) => key);
  return keys.filter((key, at) => keys.indexOf(key) < at).map((key) => `made twice: ${key}`);
}

/** Returns resources whose Events may be lost, because the run was killed between a write and its commit. */
export function interruptedResources({ writes }: Record): ReadonlySet<string> {
  const kindOf = new Map(kinds.map((kind) => [groupResource(kind), kind.kind]));
  const found = new Set<string>();
  for (const { key, owner = key, subresource } of writes) {
    const [resource = '', name = ''] = owner.split(' ');
    const of = `${kindOf.get(resource)} ${name.split('/')[1]}`;
    if (subresource === 'status') found.delete(of);
    else found.add(of);
  }
  return found;
}

/** Lists the differences between the worlds after a killed and after an undisturbed run. */
export function differences(
  desired: NamespaceState,
  { state, unreported }: Outcome,
): readonly string[] {
  const objects = differencesIn(state.objects, desired.objects);
  const doubledEvents = Object.entries(state.events)
    .filter(([event, count]) => count > (desired.events[event] ?? 0))
    .map(([event]) => `posted beyond an undisturbed run: ${event}`);
  const lost = Object.keys(desired.events)
    .filter((event) => state.events[event] === undefined)
    .filter((event) => ![...unreported].some((name) => event.startsWith(`${name} `)))
    .map((event) => `lost: ${event}`);
  return [...objects, ...doubledEvents, ...lost];
}
