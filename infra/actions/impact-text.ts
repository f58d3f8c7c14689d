import type { Impact } from '../../shared/kinds/impact.ts';
import type { Action, PlannedChange } from '../../shared/preview/planned-resource.ts';
import type { Preview } from '../../shared/preview/preview.ts';
import { because } from '../origin-text.ts';
import { pluralOf } from '../plural.ts';
import { counted } from './wording.ts';

const descriptions: Readonly<Record<Impact, string>> = {
  'data-loss': 'puts data at risk',
  interrupt: 'interrupts',
  recreate: 'stops all pods before new ones start',
  restart: 'restarts pods',
  reduce: 'reduces availability',
  open: 'opens exposure',
  close: 'closes exposure',
  reroute: 'reroutes traffic',
  unknown: 'unknown impact',
};

/** Formats an action's effect: `restarts pods, because the kind's code has changed; later: opens exposure`. */
export const effectText = (action: Action): string => withLater(action, effectOf);

/** Formats an action, and the write that waits, if any. */
export const withLater = (
  { later, ...now }: Action,
  textOf: (change: PlannedChange) => string,
): string => {
  const [text, next] = [textOf(now), later === undefined ? '' : textOf(later)];
  return [text, next === '' ? '' : `later: ${next}`].filter((part) => part !== '').join('; ');
};

function effectOf({ verb, origin, impact }: PlannedChange): string {
  const effect = impactText(impact);
  // Omits the cause of a create or an edit because it is obvious, and of drift because the differences name the writer.
  const isPlain = verb === 'create' || origin === 'edit' || origin === 'drift';
  if (isPlain || origin === undefined) return effect;
  return effect === '' ? because(origin) : `${effect}, ${because(origin)}`;
}

/** Formats an impact: `restarts pods, opens exposure`. Returns '' if there is none. */
export const impactText = (impact: readonly Impact[] = []): string =>
  impact.map((one) => descriptions[one]).join(', ');

/**
 * Counts children by impact: `restarts pods: 2 Deployments, 1 StatefulSet`. The most severe impact comes first,
 * and waiting writes come last.
 */
export function impactTotals({ resources }: Pick<Preview, 'resources'>): readonly string[] {
  const actions = resources.flatMap((one) => one.actions);
  const later = actions.flatMap(({ child, later }) => (later ? [{ child, ...later }] : []));
  return [...totalsOf(actions), ...totalsOf(later).map((text) => `later: ${text}`)];
}

function totalsOf(changes: readonly Pick<Action, 'child' | 'impact'>[]): readonly string[] {
  const found = (Object.keys(descriptions) as Impact[]).map((one) => ({
    text: descriptions[one],
    kinds: changes.filter(({ impact }) => impact?.includes(one)).map(({ child }) => child.kind),
  }));
  return found.flatMap(({ text, kinds }) => {
    const counts = [...Map.groupBy(kinds, (kind) => kind)].map(([kind, all]) =>
      counted(all.length, kind, pluralOf(kind)),
    );
    return counts.length === 0 ? [] : [`${text}: ${counts.join(', ')}`];
  });
}
