import { type StateName, syncStates, worstFirst } from '../../../actions/sync-states.ts';
import type { ResourceView } from '../../views.ts';

/** `In sync` for InSync. */
export const wordsFor = (state: StateName): string =>
  state.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

export type View = 'resources' | 'runs';

export interface Filter {
  readonly text: string;
  readonly kind: string;
  readonly namespace: string;
  /** Empty for all. */
  readonly state: StateName | '';
}

export const everything: Filter = { text: '', kind: '', namespace: '', state: '' };

/** Returns the resources that match the filter, the worst state first, then by kind, namespace and name. */
export function chosen(all: readonly ResourceView[], filter: Filter): readonly ResourceView[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  return all
    .filter(
      (one) =>
        (filter.kind === '' || one.kind === filter.kind) &&
        (filter.namespace === '' || one.namespace === filter.namespace) &&
        (filter.state === '' || one.sync.state === filter.state) &&
        words.every((word) => textOf(one).includes(word)),
    )
    .toSorted(
      (a, b) =>
        worstFirst(a, b) ||
        a.kind.localeCompare(b.kind) ||
        a.namespace.localeCompare(b.namespace) ||
        a.name.localeCompare(b.name, undefined, { numeric: true }),
    );
}

const textOf = ({ kind, namespace, name, sync, children }: ResourceView): string =>
  [kind, namespace, name, sync.reason, sync.message, ...children.map(({ child }) => child.name)]
    .join(' ')
    .toLowerCase();

/** The worst state first. */
export function countsOf(all: readonly ResourceView[]): readonly (readonly [StateName, number])[] {
  const groups = Map.groupBy(all, ({ sync }) => sync.state);
  return syncStates.flatMap((state) => {
    const count = groups.get(state)?.length;
    return count === undefined ? [] : [[state, count] as const];
  });
}

export const qualifiedNameOf = ({
  namespace,
  name,
}: Pick<ResourceView, 'namespace' | 'name'>): string =>
  namespace === '' ? name : `${namespace}/${name}`;

/** `8s`, `5m`, `3h`, `2d` */
export function ageOf(time: string | number | undefined, now: number): string {
  if (time === undefined) return '';
  const seconds = Math.max(0, Math.round((now - new Date(time).getTime()) / 1000));
  if (seconds < 90) return `${seconds}s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)}m`;
  return seconds < 36 * 3600
    ? `${Math.round(seconds / 3600)}h`
    : `${Math.round(seconds / 86_400)}d`;
}
