import type { Impact } from '../../shared/kinds/impact.ts';
import { childTypesOf, type Kind } from '../../shared/kinds/kind.ts';
import { groupResource, keyOf } from '../../shared/kubernetes.ts';
import {
  type Action,
  nowAndLater,
  type PlannedResource,
} from '../../shared/preview/planned-resource.ts';
import type { Preview } from '../../shared/preview/preview.ts';
import type { Snapshot } from '../../shared/recording/snapshot.ts';
import { isDisruptiveImpact } from '../../shared/rollout/gate.ts';
import { budgetOf } from '../../shared/rollout/wave.ts';
import { resyncsLeft } from '../actions/rollout-progress.ts';
import { difference } from './changes.ts';
import type { DecidedAgain } from './replay.ts';

/** Changes to one cluster that this code makes and the recorded code did not make. */
export interface ClusterImpact {
  readonly cluster: string;
  readonly file: string;
  readonly at: string;
  readonly resources: number;
  readonly children: Readonly<Record<string, number>>;
  /** Resources that this code plans differently or cannot plan, with only the decisions that differ. */
  readonly changed: readonly PlannedResource[];
  readonly rollouts: readonly ExpectedRollout[];
  /** Changes whose effect the recording does not show. */
  readonly unjudged: readonly string[];
}

/** The expected rollout of a kind, if resources become Ready in the resync that changes them. */
interface ExpectedRollout {
  readonly kind: string;
  /** The number of resources that the rollout has to change. */
  readonly resources: number;
  /** The total number of resources of the kind. */
  readonly of: number;
  readonly budget: number;
  readonly resyncs: number;
}

export interface Effect {
  readonly effect: Impact | 'create' | 'update' | 'delete';
  readonly kind: string;
  readonly children: number;
  readonly clusters: number;
}

/** Compares the decisions as if there were no rollouts. */
export function impactOn(
  recording: Pick<ClusterImpact, 'cluster' | 'file'>,
  decided: DecidedAgain,
): ClusterImpact {
  const { decisions, again, header } = decided;
  const { onlyNow, onlyThen } = difference(decisions.desired, again.desired);
  return {
    ...recording,
    at: header.at,
    resources: again.desired.total,
    children: childrenIn(decided),
    changed: onlyNow.resources.filter(
      ({ actions, message, state }) =>
        actions.some(isChange) || message !== undefined || state !== 'planned',
    ),
    rollouts: rolloutsIn(onlyNow, decided),
    unjudged: unjudgedIn(decided, { onlyNow, onlyThen }),
  };
}

/** A recreated child counts neither as deleted nor as created. */
export function effectsIn(clusters: readonly ClusterImpact[]): readonly Effect[] {
  const found = clusters.flatMap(({ cluster, changed }) =>
    changed.flatMap(({ actions }) =>
      actions
        .filter(isChange)
        .flatMap((action) =>
          effectsOf(action).map((effect) => ({ cluster, effect, kind: action.child.kind })),
        ),
    ),
  );
  return [...Map.groupBy(found, ({ effect, kind }) => `${effect} ${kind}`).values()].flatMap(
    (all) => {
      const [first] = all;
      if (first === undefined) return [];
      const { effect, kind } = first;
      const clusters = new Set(all.map(({ cluster }) => cluster)).size;
      return [{ effect, kind, children: all.length, clusters }];
    },
  );
}

/** Includes the effects of a write that waits. */
export function effectsOf(action: Action): readonly Effect['effect'][] {
  const effects = new Set<Effect['effect']>();
  for (const { verb, recreates, impact = [] } of nowAndLater(action)) {
    for (const one of impact) effects.add(one);
    if (recreates) effects.add('recreate');
    if (verb === 'create' || verb === 'delete') effects.add(verb);
  }
  return effects.size === 0 ? ['update'] : [...effects];
}

/** Reports whether an action changes the child, now or later, and not only its managedFields. */
export const isChange = ({ verb, later }: Action): boolean =>
  ['create', 'update', 'delete', 'withdraw', 'release'].includes(verb) || later !== undefined;

/** Counts, by kind, the objects in a recording that are of a child type and have a controller. */
function childrenIn({ config, snapshot }: DecidedAgain): ClusterImpact['children'] {
  const types = childTypesOf(config.kinds);
  const kindOf = new Map(types.map((type) => [groupResource(type), type.kind]));
  const kinds = [...snapshot.objects].flatMap(([key, response]) => {
    const owners = 'found' in response ? (response.found?.metadata.ownerReferences ?? []) : [];
    const kind = kindOf.get(key.slice(0, key.indexOf(' ')));
    return kind !== undefined && owners.some((one) => one.controller) ? [kind] : [];
  });
  return Object.fromEntries(
    [...Map.groupBy(kinds, (kind) => kind)].map(([kind, all]) => [kind, all.length]),
  );
}

function rolloutsIn(now: Preview, { config, snapshot }: DecidedAgain): readonly ExpectedRollout[] {
  const { rollout: policy, kinds } = config;
  if (policy === undefined) return [];
  const waiting = now.resources.filter(({ actions }) =>
    actions
      .flatMap(nowAndLater)
      .some(({ verb, impact = [] }) => verb !== 'create' && isDisruptiveImpact(impact)),
  );
  return kinds.flatMap((kind) => {
    const resources = waiting.filter(({ resource }) => resource === groupResource(kind)).length;
    if (resources === 0) return [];
    const of = countOf(kind, snapshot);
    const budget = budgetOf({ kind, resources: of }, policy);
    const whole = { underWay: 0, waiting: resources, unable: 0, budget, slots: 1 };
    return [{ kind: kind.kind, resources, of, budget, resyncs: resyncsLeft(whole, 0) ?? 0 }];
  });
}

const countOf = (kind: Kind, { lists }: Snapshot): number => {
  const keys = [...lists].filter(([key]) => key.startsWith(`${groupResource(kind)} `));
  return new Set(
    keys.flatMap(([, one]) =>
      'found' in one ? one.found.map(({ metadata }) => metadata.uid) : [],
    ),
  ).size;
};

/**
 * Lists changes whose effect the recording does not show. For example, a child that the recorded run created is
 * not among the objects that it read, so a change to the child looks like a creation.
 */
function unjudgedIn(
  { header, decisions, again, redefined, unanswered }: DecidedAgain,
  { onlyNow, onlyThen }: { readonly onlyNow: Preview; readonly onlyThen: Preview },
): readonly string[] {
  const created = decisions.desired.resources.flatMap(({ actions }) =>
    actions.filter(({ verb }) => verb === 'create'),
  );
  const known = new Set(
    again.desired.resources.flatMap(({ actions }) => actions.filter(isChange).map(childKey)),
  );
  const undone = onlyThen.resources.flatMap(({ actions }) =>
    actions.filter((one) => isChange(one) && !known.has(childKey(one))),
  );
  const drifted = new Set(
    decisions.desired.resources.flatMap(({ actions }) =>
      actions.filter(({ origin }) => origin === 'drift').map(childKey),
    ),
  );
  const repaired = onlyNow.resources.flatMap(({ actions }) =>
    actions.filter((one) => isChange(one) && drifted.has(childKey(one))),
  );
  const { pruning } = again.desired;
  const waits = onlyNow.resources.flatMap(({ actions }) =>
    actions.filter((one) => one.verb === 'wait' && !isChange(one)),
  );
  const isWithheld = ({ reason }: Action): boolean =>
    pruning !== 'allowed' && reason === 'PruningPending';
  const isPart = header.reconcileRequests.some((one) => Object.keys(one).length > 0);
  return [
    ...(isPart ? ['everything outside the recorded part of the cluster'] : []),
    ...again.decided.incomplete.map(({ kind, error }) => `${kind}: ${error}`),
    ...redefined.map((kind) => `values that the changed CRD of ${kind} would default or refuse`),
    ...counted(created, 'created by the recorded run'),
    ...counted(undone, 'changed by the recorded run and not by this code'),
    ...counted(repaired, 'whose change also repairs drift'),
    ...counted(waits.filter(isWithheld), `whose deletion is withheld (${pruning})`),
    ...counted(
      waits.filter((one) => !isWithheld(one)),
      'that wait for another child',
    ),
    ...[...Map.groupBy(unanswered, unansweredText)].map(([text, all]) => `${text}: ${all.length}`),
  ];
}

const unansweredText = ({ type, request, takenAs }: DecidedAgain['unanswered'][number]): string =>
  `${type.kind} ${request === 'list' ? 'lists' : 'objects'} not in the recording, assumed to be ${takenAs}`;

const childKey = ({ child }: Action): string => keyOf(child);

const counted = (actions: readonly Action[], what: string): readonly string[] =>
  [...Map.groupBy(actions, ({ child }) => child.kind)].map(
    ([kind, all]) => `${kind} objects ${what}: ${all.length}`,
  );
