import { titleOf } from '../../../shared/kubernetes.ts';
import { type Action, nowAndLater } from '../../../shared/preview/planned-resource.ts';
import { impactText, withLater } from '../../actions/impact-text.ts';
import { counted, problemLines, shortened } from '../../actions/wording.ts';
import { pluralOf } from '../../plural.ts';
import {
  type ClusterImpact,
  type Effect,
  effectsIn,
  effectsOf,
  isChange,
} from '../../recordings/fleet-impact.ts';
import type { Verdict } from '../../recordings/policies.ts';
import type { Interval } from '../base/interval.ts';
import { durationOf } from '../output/age.ts';
import { section, type Text, table } from '../output/print.ts';
import { code, rowOf } from '../plan/plan-markdown.ts';
import { changeOf } from '../plan/plan-table.ts';

/** The impact on all clusters, which `-o json` prints. */
interface ReplayedFleet {
  readonly clusters: readonly ClusterImpact[];
  readonly failures: readonly { readonly cluster: string; readonly error: string }[];
  readonly policies: readonly Verdict[];
}

type Word = Effect['effect'];

/** Maps an effect to its phrase. Severe effects also have one for when no child is affected: `restarts nothing`. */
const phrases: Readonly<Record<Word, readonly [some: string, none?: string]>> = {
  'data-loss': ['puts data at risk in', 'puts no data at risk'],
  interrupt: ['interrupts'],
  recreate: ['recreates', 'recreates nothing'],
  restart: ['restarts', 'restarts nothing'],
  reduce: ['reduces the availability of'],
  open: ['opens paths with', 'opens no path'],
  close: ['closes paths with'],
  reroute: ['reroutes the traffic of'],
  unknown: ['has an unknown effect on'],
  delete: ['deletes', 'deletes nothing'],
  create: ['creates'],
  update: ['updates'],
};

const gravity = Object.keys(phrases) as readonly Word[];

/** Sums up effects: `restarts 398 of 412 Deployments in 17 of 40 clusters, puts no data at risk, …`. */
function effectSentence(clusters: readonly ClusterImpact[]): string {
  const found = effectsIn(clusters);
  const total = (kind: string): number =>
    clusters.reduce((sum, { children }) => sum + (children[kind] ?? 0), 0);
  const some = (one: Effect): string => {
    const { effect, kind, children } = one;
    const of = effect === 'create' ? `${children}` : `${children} of ${total(kind)}`;
    const noun = children === 1 && effect === 'create' ? kind : pluralOf(kind);
    return `${phrases[effect][0]} ${of} ${noun} in ${one.clusters} of ${counted(clusters.length, 'cluster')}`;
  };
  if (found.length === 0) return 'changes no child';
  const parts = gravity.map((word) => found.filter(({ effect }) => effect === word).map(some));
  const none = gravity.filter((_, at) => parts[at]?.length === 0);
  return [...parts.flat(), ...none.flatMap((word) => phrases[word][1] ?? [])].join(', ');
}

type ChangeGroup = ReturnType<typeof changeGroups>[number];

const maxRows = 10;

function changeGroups(clusters: readonly ClusterImpact[]) {
  const all = clusters.flatMap(({ cluster, changed }) =>
    changed.flatMap(({ actions, ...resource }) =>
      actions.filter(isChange).map((action) => ({ cluster, action, resource })),
    ),
  );
  const keyOf = ({ action, resource }: (typeof all)[number]): string => {
    const changes = nowAndLater(action).map(({ verb, differences, impact }) => {
      const fields = verb === 'update' ? differences.map(({ path }) => path) : [];
      return [verb, impact, fields];
    });
    return JSON.stringify([resource.kind, action.child.kind, changes]);
  };
  return [...Map.groupBy(all, keyOf).values()]
    .flatMap((same) => {
      const [first] = same;
      if (first === undefined) return [];
      const { action, resource, cluster } = first;
      return {
        action,
        example: `${titleOf(action.child)} of ${titleOf(resource)} in ${cluster}`,
        count: same.length,
        clusters: new Set(same.map((one) => one.cluster)).size,
      };
    })
    .toSorted((a, b) => rankOf(a.action) - rankOf(b.action) || b.count - a.count);
}

const rankOf = (action: Action): number =>
  Math.min(...effectsOf(action).map((one) => gravity.indexOf(one)));

const maxLines = 5;

const cellsOf = ({ action, example, count, clusters }: ChangeGroup) => ({
  size: `${counted(count, action.child.kind, pluralOf(action.child.kind))} in ${counted(clusters, 'cluster')}`,
  verb: action.verb,
  impact: withLater(action, ({ impact }) => impactText(impact)) || 'no impact',
  changes: shortened(changeOf(action), maxLines),
  example,
});

const failing = (clusters: readonly ClusterImpact[]) =>
  problemLines(
    clusters.flatMap(({ cluster, changed }) =>
      changed.flatMap(({ message, ...resource }) =>
        message === undefined
          ? []
          : [{ about: `${titleOf(resource)} in ${cluster}`, text: message }],
      ),
    ),
  );

function rolloutText(clusters: readonly ClusterImpact[], { text, ms }: Interval): string {
  const all = clusters.flatMap(({ cluster, rollouts }) =>
    rollouts.map((one) => ({ cluster, ...one })),
  );
  const [slowest] = all.toSorted((a, b) => b.resyncs - a.resyncs);
  if (slowest === undefined) return 'No resource has to wait in a rollout.';
  const { cluster, kind, resources, of, budget, resyncs } = slowest;
  const seconds = (resyncs * ms) / 1000;
  return `The rollout takes ${counted(resyncs, 'resync')} in the slowest cluster, ${cluster} (${resources} of ${of} resources of ${kind}, first one, then ${budget} at a time): about ${durationOf(seconds)} with a resync every ${text}.`;
}

const policyText = ({ policy, most: limit, allowed, resources }: Verdict): string =>
  `${policy}: ${limit}${limit.endsWith('%') ? ` (${allowed})` : ''} allowed, ${counted(resources, 'resource')} affected`;

function unjudged({ clusters, failures }: ReplayedFleet): readonly string[] {
  const all = [
    ...failures.map(({ cluster, error }) => ({ about: cluster, text: error })),
    ...clusters.flatMap((one) => one.unjudged.map((text) => ({ about: one.cluster, text }))),
  ];
  return shortened(problemLines(all), 2 * maxRows);
}

/** States the times of the recordings, because the newest recording of a quiet cluster may be old. */
function basisOf({ clusters }: ReplayedFleet): string {
  const resources = clusters.reduce((sum, one) => sum + one.resources, 0);
  const times = clusters.map(({ at }) => at).toSorted();
  return `Based on the newest recordings of ${counted(clusters.length, 'cluster')} with ${counted(resources, 'resource')}, made between ${times[0]} and ${times.at(-1)}.`;
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Formats the impact as a pull request comment, which a workflow finds again by its first line. */
export function fleetMarkdown(fleet: ReplayedFleet, interval: Interval): readonly Text[] {
  const { clusters, policies } = fleet;
  const groups = changeGroups(clusters);
  const rows = groups.slice(0, maxRows).map((one) => {
    const { size, verb, impact, changes, example } = cellsOf(one);
    return [verb, size, impact, changes.map(code).join('<br>'), code(example)];
  });
  const head = ['action', 'children', 'impact', 'change', 'such as'];
  const broken = policies.filter(({ isBroken }) => isBroken);
  const kept = policies.filter(({ isBroken }) => !isBroken);
  return [
    '<!-- serverless-reconciler impact -->',
    '### Impact on all clusters',
    '',
    `**${capitalized(effectSentence(clusters))}.**`,
    ...broken.flatMap((one) => ['', `**Policy broken**: ${policyText(one)}`]),
    ...failing(clusters).flatMap((text) => ['', `**Would fail**: ${code(text)}`]),
    ...(rows.length === 0 ? [] : ['', ...[head, head.map(() => '---'), ...rows].map(rowOf)]),
    ...moreOf(groups),
    '',
    rolloutText(clusters, interval),
    ...(kept.length === 0 ? [] : ['', `Kept: ${kept.map(policyText).join('; ')}.`]),
    '',
    basisOf(fleet),
    ...section(
      ['', 'Not judged:'],
      unjudged(fleet).map((text) => `- ${code(text)}`),
    ),
  ];
}

const moreOf = (groups: readonly ChangeGroup[]): readonly string[] =>
  groups.length > maxRows ? ['', `${groups.length - maxRows} more changes.`] : [];

export function fleetText(fleet: ReplayedFleet, interval: Interval): readonly Text[] {
  const { clusters, policies } = fleet;
  const groups = changeGroups(clusters);
  const rows = groups.slice(0, maxRows).map((one) => {
    const { size: children, verb, impact, changes, example } = cellsOf(one);
    return [verb, children, [...changes, `→ ${impact}`].join('\n'), example];
  });
  return [
    `${capitalized(effectSentence(clusters))}.`,
    ...section([''], table(['ACTION', 'CHILDREN', 'CHANGE', 'SUCH AS'], rows)),
    ...moreOf(groups),
    ...failing(clusters).map((text) => `would fail: ${text}`),
    '',
    rolloutText(clusters, interval),
    ...policies.map((one) => `policy ${one.isBroken ? 'broken' : 'kept'}: ${policyText(one)}`),
    basisOf(fleet),
    ...unjudged(fleet).map((text) => `not judged: ${text}`),
  ];
}
