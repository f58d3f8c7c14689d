import type { Command } from 'commander';
import { type CodeChanges, dryRun } from '../../../shared/preview/dry-run.ts';
import type { ReconcileRequest } from '../../../shared/reconcile-request.ts';
import { timestamp } from '../../../shared/run/run.ts';
import { previewOptions } from '../../actions/preview-options.ts';
import { counted } from '../../actions/wording.ts';
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
import {
  type Comparison,
  nextStability,
  printComparison,
  type Stability,
  unstable,
} from '../compare/comparison.ts';
import { outputOption, printLines } from '../output/print.ts';

interface CompareOptions extends ResourceOptions<'table'> {
  readonly for?: string;
  readonly every?: string;
  readonly timeout?: string;
}

export function addCompare(program: Command, { onCluster, terminal }: Cli): void {
  withResource(program.command('compare'))
    .summary('show what this version does differently from the deployed one')
    .description(
      'Shows what this version would do differently from the deployed one: changes whose only cause is the code of a kind, or a setting. Omits edits, drift and changes of referenced objects, because both versions treat them alike. With --for, checks repeatedly until both versions have agreed for that long. Writes nothing.',
    )
    .option('--for <time>', 'how long the versions must agree, such as 90s, 5m or 2h')
    .option('--every <time>', 'time between two checks; default: 30s')
    .option('--timeout <time>', 'when to give up; default: three times --for')
    .addOption(outputOption(['table']))
    .addHelpText('after', example('compare', 'compare --for 30m --timeout 2h'))
    .action((words: readonly string[], options: CompareOptions) =>
      onCluster(options, async (session) => {
        const request = requestFrom(session, options, words);
        const compared = await compare(session, request, timesOf(options));
        if (isWhole(compared)) await requireFound(session, request, compared.resources);
        printComparison(terminal, compared, options.output);
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
    throw new UsageError(`--timeout ${timeout} is shorter than --for ${text}: make it longer`);
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

/** Reports whether every kind was read and every resource planned. */
const isWhole = ({
  codeChanges,
  incomplete,
}: Pick<Comparison, 'codeChanges' | 'incomplete'>): boolean =>
  codeChanges.unplanned + incomplete.length === 0;

const timeOf = (at: number): string => timestamp(new Date(at));

function stateOf({ since, pending }: Stability, { resources }: CodeChanges): string {
  if (resources > 0) return `versions differ in ${counted(resources, 'resource')}`;
  if (since === undefined) return 'not everything could be read';
  return pending.length === 0
    ? 'versions agree'
    : `versions agree, except for ${counted(pending.length, 'resource')} that a run still has to change`;
}
