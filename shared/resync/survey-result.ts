import { type Counted, mergeCounts } from '../plan/pruning.ts';
import type { Fleet } from '../rollout/fleet.ts';
import type { LiveWorld } from '../run/run.ts';

export interface Survey extends Counted {
  readonly work: LiveWorld[];
  readonly uncountable: Set<string>;
  resources: number;
  readonly idle: { suspended: number; deleting: number };
  readonly unkept: Unkept[];
  readonly incomplete: Incomplete[];
  readonly notServed: Incomplete[];
  /** The fleets of kinds whose resources and children were listed completely. */
  readonly fleets: Fleet[];
}

export interface Unkept {
  readonly key: string;
  readonly namespace: string;
  readonly error: string;
}

export interface Incomplete {
  /** Such as `websites.kubecon.my.domain` or `deployments.apps`. */
  readonly kind: string;
  readonly error: string;
  /** Set if the run listed several configured namespaces. */
  readonly namespace?: string;
  /** True if the same list may succeed later. */
  readonly transient?: boolean;
  /** True if `kind` is a child type. */
  readonly ofChildren?: true;
}

export const emptySurvey = (): Survey => combined([]);

/** A resource in two surveys appears once in `work`. */
export function combined(all: readonly Survey[]): Survey {
  const each = <Key extends keyof Survey>(key: Key) => all.map((one) => one[key]);
  return {
    work: uniqueBy(each('work').flat(), ({ resource }) => resource.uid),
    unkept: uniqueBy(each('unkept').flat(), ({ key }) => key),
    incomplete: uniqueBy(each('incomplete').flat(), keyOfError),
    notServed: uniqueBy(each('notServed').flat(), keyOfError),
    fleets: each('fleets').flat(),
    namespaces: mergeCounts(each('namespaces')),
    uncountable: each('uncountable').reduce((some, more) => some.union(more), new Set()),
    resources: sum(each('resources')),
    idle: {
      suspended: sum(each('idle').map(({ suspended }) => suspended)),
      deleting: sum(each('idle').map(({ deleting }) => deleting)),
    },
  };
}

const keyOfError = ({ kind, error, namespace }: Incomplete): string =>
  JSON.stringify([kind, error, namespace]);

const sum = (counts: readonly number[]): number => counts.reduce((total, one) => total + one, 0);

const uniqueBy = <T>(items: readonly T[], keyOf: (item: T) => string): T[] => [
  ...new Map(items.map((item) => [keyOf(item), item])).values(),
];
