import type { Command } from 'commander';
import { impacts } from '../../../shared/kinds/impact.ts';
import { type CodeChange, type CodeChanges, dryRun } from '../../../shared/preview/dry-run.ts';
import type { ReconcileRequest } from '../../../shared/reconcile-request.ts';
import type { Report } from '../../../shared/resync/report.ts';
import { timestamp } from '../../../shared/run/run.ts';
import { impactText } from '../../actions/impact-text.ts';
import { previewOptions } from '../../actions/preview-options.ts';
import { counted, incompleteProblems, problemLines } from '../../actions/wording.ts';
import { type Cli, example } from '../base/cli.ts';
import { exitCodes, UsageError } from '../base/command-errors.ts';
import { parseInterval } from '../base/interval.ts';
import {
  type ResourceOptions,
  requestFrom,
  requireFound,
  withResource,
} from '../base/request-options.ts';
import type { Session } from '../base/session.ts';
import { outputOption, printLines, printOutput, type Text, table } from '../output/print.ts';

interface CompareOptions extends ResourceOptions<'table'> {
  readonly for?: string;
  readonly every?: string;
  readonly timeout?: string;
}

export function addCompare(program: Command, { onCluster, terminal }: Cli): void {
  withResource(program.command('compare'))
    .summary('show what this version does differently from the deployed one')
    .description(
      'Shows what this version would do differently from the deployed one: changes whose only cause is the code of a kind, or a setting. Omits edits, drift and changes to referenced objects, because both versions treat them alike. With --for, checks repeatedly until both versions have agreed for that long. Writes nothing.',
    )
    .option('--for <time>', 'how long the versions must agree, such as 90s, 5m or 2h')
    .option('--every <time>', 'time between two checks; default: 30s')
    .option('--timeout <time>', 'give up after this time; default: three times --for')
    .addOption(outputOption(['table']))
    .addHelpText('after', example('compare', 'compare --for 30m --timeout 2h'))
    .action((words: readonly string[], options: CompareOptions) =>
      onCluster(options, async (session) => {
        const request = requestFrom(session, options, words);
        const compared = await compare(session, request, timesOf(options));
        if (isWhole(compared)) await requireFound(session, request, compared.resources);
        printOutput(terminal, options.output, { data: compared, table: () => tableOf(compared) });
        printLines(terminal.err, problemsOf(compared));
        if (compared.agreed) return exitCodes.done;
        return isWhole(compared) ? exitCodes.changes : exitCodes.failed;
      }),
    );
}

function timesOf({ for: text, every, timeout }: CompareOptions) {
  const forMs = text === undefined ? 0 : parseInterval(text, '--for').ms;
  const everyMs = parseInterval(every ?? '30s', '--every').ms;
  const timeoutMs = timeout === undefined ? 3 * forMs : parseInterval(timeout, '--timeout').ms;
  if (text === undefined && (every ?? timeout) !== undefined)
    throw new UsageError(
      `--${every === undefined ? 'timeout' : 'every'} needs --for, the time for which the versions must agree`,
    );
  if (timeoutMs < forMs)
    throw new UsageError(`--timeout ${timeout} is shorter than --for ${text}: raise --timeout`);
  return { forMs, everyMs, timeoutMs };
}

async function compare(
  { begin, config, terminal }: Session,
  request: ReconcileRequest,
  { forMs, everyMs, timeoutMs }: ReturnType<typeof timesOf>,
): Promise<Comparison> {
  const started = terminal.now().getTime();
  let stability = unstable;
  let shown = '';
  for (let checks = 1; ; checks++) {
    const run = await begin();
    const report = await dryRun(run, [request], previewOptions(config));
    const { codeChanges } = report;
    const at = terminal.now().getTime();
    const agrees = isWhole(report) && codeChanges.resources === 0;
    stability = nextStability(stability, { at, agrees, pending: report.undone });
    const { since, pending } = stability;
    const agreed = since !== undefined && pending.length === 0 && at - since >= forMs;
    const text = stateOf(stability, codeChanges);
    if (forMs > 0 && text !== shown) printLines(terminal.err, [`${timeOf(at)} ${text}`]);
    shown = text;
    if (agreed || at - started >= timeoutMs)
      return {
        agreed,
        since: since === undefined ? undefined : timeOf(since),
        checks,
        resources: report.resources.total,
        codeChanges,
        pending,
        unsettled: report.undone.length - codeChanges.resources - codeChanges.unplanned,
        incomplete: report.incomplete,
      };
    await terminal.wait(everyMs);
  }
}

const isWhole = ({
  codeChanges,
  incomplete,
}: Pick<Comparison, 'codeChanges' | 'incomplete'>): boolean =>
  codeChanges.unplanned + incomplete.length === 0;

const timeOf = (at: number): string => timestamp(new Date(at));

function stateOf({ since, pending }: Stability, { resources }: CodeChanges): string {
  if (resources > 0) return `versions differ in ${counted(resources, 'resource')}`;
  if (since === undefined) return 'not everything could be compared';
  return pending.length === 0
    ? 'versions agree'
    : `versions agree, except for ${counted(pending.length, 'resource')} that a run still has to change`;
}

/** The result of `compare`, as `-o json` prints it. */
interface Comparison {
  /** True if both versions agreed on every resource for the requested time. */
  readonly agreed: boolean;
  /** When the versions began to agree; undefined while they differ. */
  readonly since: string | undefined;
  readonly checks: number;
  readonly resources: number;
  /** The result of the last check. */
  readonly codeChanges: CodeChanges;
  /** Resources that could not be compared yet, because in each check a run still had to change them. */
  readonly pending: readonly string[];
  /** Number of resources that a run of either version would change for a reason other than code. */
  readonly unsettled: number;
  readonly incomplete: Report['incomplete'];
}

const problemsOf = ({ incomplete, codeChanges }: Comparison): readonly string[] => [
  ...problemLines(incompleteProblems(incomplete), ' could not be compared'),
  ...(codeChanges.unplanned === 0
    ? []
    : [
        `${counted(codeChanges.unplanned, 'resource')} not compared in time: raise DEADLINE_SECONDS, or choose a --namespace`,
      ]),
];

function tableOf(compared: Comparison): readonly Text[] {
  const { codeChanges, pending } = compared;
  const { first } = codeChanges;
  const rows = [
    ...first.map((one) => [one.key, ...cellsOf(one)]),
    ...pending.map((key) => [key, 'pending', '', 'the deployed code has yet to act, or it fails']),
  ];
  const more = codeChanges.children - first.filter((one) => 'child' in one).length;
  const impact = impacts.flatMap((one) => {
    const count = codeChanges.impact[one];
    return count === undefined ? [] : [`${impactText([one])}: ${count}`];
  });
  return [
    ...table(['RESOURCE', 'ACTION', 'CHILD', 'CHANGE'], rows),
    ...(more > 0 ? [`${more} more`] : []),
    ...(rows.length === 0 ? [] : ['']),
    ...(codeChanges.waiting === 0
      ? []
      : [
          `A rollout of the deployed version still has to change ${codeChanges.waiting} of these resources.`,
        ]),
    summaryOf(compared, impact),
  ];
}

function summaryOf(
  { codeChanges, incomplete, pending, unsettled, since, resources, checks }: Comparison,
  impact: readonly string[],
): string {
  if (resources === 0)
    return incomplete.length === 0 ? 'No resources found.' : 'Nothing could be compared.';
  if (codeChanges.resources > 0) {
    const parts = [...impact, ...(unsettled === 0 ? [] : [`${unsettled} pending`])];
    const total = counted(resources, 'resource');
    return `${[`The versions differ in ${codeChanges.resources} of ${total}`, ...parts].join('; ')}.`;
  }
  const [judged, left] =
    pending.length === 0
      ? ['', '']
      : [`${resources - pending.length} of `, `; ${pending.length} pending`];
  const sinceThen = since === undefined ? '' : ` since ${since}`;
  return `No difference in ${judged}${counted(resources, 'resource')}${sinceThen}, ${counted(checks, 'check')}${left}.`;
}

function cellsOf(one: CodeChange): readonly string[] {
  if ('message' in one) return ['fail', '', one.message];
  const { verb, child, fields, impact } = one;
  const lines = [fields.join(', '), impact.length === 0 ? '' : `→ ${impactText(impact)}`];
  return [verb, child, lines.filter((line) => line !== '').join('\n')];
}

export interface ComparisonSample {
  readonly at: number;
  /** True if everything was read and no difference is caused by code. */
  readonly agrees: boolean;
  /** Resources that a run of either version would still change. */
  readonly pending: readonly string[];
}

export interface Stability {
  /** When the versions began to agree, in milliseconds since the epoch; undefined while they differ. */
  readonly since: number | undefined;
  /** Resources that were pending in every check since the versions began to agree. */
  readonly pending: readonly string[];
}

export const unstable: Stability = { since: undefined, pending: [] };

export function nextStability({ since, pending }: Stability, sample: ComparisonSample): Stability {
  if (!sample.agrees) return unstable;
  if (since === undefined) return { since: sample.at, pending: sample.pending };
  const still = new Set(sample.pending);
  return { since, pending: pending.filter((key) => still.has(key)) };
}
