import { kinds } from '../../shared/kinds/all.ts';
import { groupResource } from '../../shared/kubernetes.ts';
import { differencesIn, type Imprint } from './imprint.ts';
import type { Record } from './record.ts';

/** What came of one world. */
export interface Outcome {
  readonly requests: number;
  readonly imprint: Imprint;
  readonly faults: readonly string[];
  /** Resources, as `Foo f`, of which children were written in the run that died, and no status after. */
  readonly unreported: ReadonlySet<string>;
}

/** Data that is made once was made twice. */
export function doubled({ writes }: Record): readonly string[] {
  const made = writes.filter(({ manager }) => manager === 'serverless-reconciler-generated');
  const keys = made.map(({ key }) => key);
  return keys.filter((key, at) => keys.indexOf(key) < at).map((key) => `made twice: ${key}`);
}

/** Whose Events may be lost: something was written, and the run died before the commit. */
export function cutOff({ writes }: Record): ReadonlySet<string> {
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

/** How a world after a death differs from one after an undisturbed run. */
export function differences(wanted: Imprint, { imprint, unreported }: Outcome): readonly string[] {
  const objects = differencesIn(imprint.objects, wanted.objects);
  const doubledEvents = Object.entries(imprint.events)
    .filter(([event, count]) => count > (wanted.events[event] ?? 0))
    .map(([event]) => `posted beyond an undisturbed run: ${event}`);
  const lost = Object.keys(wanted.events)
    .filter((event) => imprint.events[event] === undefined)
    .filter((event) => ![...unreported].some((name) => event.startsWith(`${name} `)))
    .map((event) => `lost: ${event}`);
  return [...objects, ...doubledEvents, ...lost];
}
