import { groupResource, qualifiedName, titleOf } from '../../../shared/kubernetes.ts';
import type { Preview } from '../../../shared/preview/preview.ts';
import type { WriteLine } from '../../../shared/recording/recording.ts';
import type { Unanswered } from '../../../shared/recording/replayed-cluster.ts';
import { impactTotals } from '../../actions/impact-text.ts';
import { counted } from '../../actions/wording.ts';
import type { Replayed } from '../../recordings/changes.ts';
import { type OutputFormat, section, type Text, table } from '../output/print.ts';
import { planDiff } from '../plan/plan-diff.ts';
import { planMarkdown } from '../plan/plan-markdown.ts';
import { planTable } from '../plan/plan-table.ts';

export interface ReplayOptions {
  readonly output: OutputFormat<'table' | 'diff' | 'markdown'>;
}

export function replayTable(all: readonly Replayed[]): readonly Text[] {
  const rows = all.map((one) => [
    one.file,
    one.header.at,
    one.header.server,
    String(one.recorded.total),
    verdictOf(one),
    [...impactTotals(one.onlyNow), ...notesOf(one)].join('\n'),
  ]);
  const head = ['RECORDING', 'AT', 'SERVER', 'RESOURCES', 'DECISIONS', 'IMPACT'];
  return table(head, rows);
}

export const replayData = ({ file, header, recorded, onlyNow, onlyThen, ...one }: Replayed) => ({
  file,
  at: header.at,
  server: header.server,
  product: header.product,
  trigger: header.trigger,
  reconcileRequests: header.reconcileRequests,
  total: recorded.total,
  same: one.isSame,
  different: one.different,
  now: onlyNow.resources,
  noLonger: onlyThen.resources,
  incomplete: one.incomplete,
  redefined: one.redefined,
  notRecorded: one.unanswered.map(({ request, type, key, takenAs }) => ({
    request,
    type: groupResource(type),
    ...key,
    takenAs,
  })),
  decided: recorded.resources,
  writes: one.writes,
});

const verdictOf = ({ isSame, different, incomplete }: Replayed): string =>
  isSame ? 'same' : different === 0 && incomplete.length > 0 ? 'incomplete' : `${different} differ`;

export const replayedDecisions = (one: Replayed): readonly Text[] => [
  headingOf(one),
  '',
  ...planTable(one.recorded),
  ...writesOf(one.writes),
  '',
  ...replayedDifferences(one),
];

export function replayedDifferences(one: Replayed): readonly Text[] {
  const tableOf = (plan: Preview): readonly Text[] =>
    one.isSame || plan.resources.length === 0 ? [] : planTable(plan);
  return [
    summaryOf(one),
    ...section(['', 'Now:'], tableOf(one.onlyNow)),
    ...section(['', 'No longer:'], tableOf(one.onlyThen)),
    ...notesOf(one),
  ];
}

/** Omits the API server's version if it is unknown, as in recordings of the functions. */
const headingOf = ({ header: { at, server, product } }: Replayed): string => {
  const kubernetes = server === 'unknown' ? '' : `, on Kubernetes ${server}`;
  return `Decided at ${at}${kubernetes}, by version ${product}:`;
};

const summaryOf = ({ isSame, different, recorded: { total } }: Replayed): string =>
  isSame
    ? `This code makes the same decisions as the recorded code for ${counted(total, 'resource')}.`
    : `This code decides differently from the recorded code for ${different} of ${counted(total, 'resource')}.`;

function writesOf(writes: readonly WriteLine[]): readonly string[] {
  if (writes.length === 0) return [];
  const failed = writes.filter(({ error }) => error !== undefined);
  return [
    `${counted(writes.length, 'write')} sent, ${failed.length} of them failed.`,
    ...failed.map(
      ({ request, type, namespace, name, error }) =>
        `${request} ${type} ${qualifiedName(namespace, name)}: ${error?.reason ?? error?.name}: ${error?.message}`,
    ),
  ];
}

/** Describes everything that makes a replay incomplete or less reliable. */
const notesOf = ({ redefined, incomplete, unanswered }: Replayed): readonly string[] => [
  ...incomplete.map(({ kind, error }) => `${kind} could not be planned: ${error}`),
  ...redefined.map((kind) => `the definition of ${kind} differs from the recorded one`),
  ...new Set(unanswered.map(unansweredText)),
];

function unansweredText({ request, type, key, takenAs }: Unanswered): string {
  const object = key && titleOf({ kind: type.kind, ...key });
  const list = `a list of ${groupResource(type)}`;
  const what = request === 'dryRun' ? `the dry run of ${object}` : (object ?? list);
  return `the recording lacks ${what}, which the replay treats as ${takenAs}`;
}

export const replayDiff = (all: readonly Replayed[]): readonly Text[] =>
  all.flatMap((one) => [
    `# ${one.file}: ${summaryOf(one)}`,
    ...notesOf(one).map((note) => `# ${note}`),
    ...planDiff(one.onlyNow),
    ...section(['# No longer:'], planDiff(one.onlyThen)),
  ]);

export const replayMarkdown = (all: readonly Replayed[]): readonly Text[] =>
  all.flatMap((one) => [
    `## ${one.file}`,
    '',
    summaryOf(one),
    ...notesOf(one).flatMap((note) => ['', note]),
    ...(one.onlyNow.resources.length === 0 ? [] : ['', ...planMarkdown(one.onlyNow)]),
    ...(one.onlyThen.resources.length === 0
      ? []
      : ['', '**No longer:**', '', ...planMarkdown(one.onlyThen)]),
    '',
  ]);
