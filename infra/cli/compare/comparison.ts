import { impacts } from '../../../shared/kinds/impact.ts';
import type { CodeChange, CodeChanges } from '../../../shared/preview/dry-run.ts';
import type { Report } from '../../../shared/resync/report.ts';
import { impactText } from '../../actions/impact-text.ts';
import { counted, grouped, incompleteTexts } from '../../actions/wording.ts';
import type { Terminal } from '../base/terminal.ts';
import { columns } from '../output/columns.ts';
import { type OutputFormat, printOutput } from '../output/format.ts';
import { printLines, type Text } from '../output/text.ts';

/** The result of `compare`, as `-o json` prints it. */
export interface Comparison {
  /** True if both versions agreed on every resource for the requested time. */
  readonly agreed: boolean;
  /** The time since which they agree. */
  readonly since: string | undefined;
  /** The number of checks. */
  readonly looks: number;
  readonly resources: number;
  /** The result of the last check. */
  readonly codeChanges: CodeChanges;
  /** Resources that a run of either version would have changed in every check since then. */
  readonly pending: readonly string[];
  /** Resources without a code change that a run of either version would change, in the last check. */
  readonly unsettled: number;
  readonly incomplete: Report['incomplete'];
}

export function printComparison(
  { out, err }: Terminal,
  compared: Comparison,
  format: OutputFormat<'table'>,
): void {
  printOutput(out, format, { data: compared, table: () => tableOf(compared, out) });
  const { incomplete, codeChanges } = compared;
  printLines(err, [
    ...grouped(incompleteTexts(incomplete)).map(
      ({ about, text }) => `${about} could not be compared: ${text}`,
    ),
    ...(codeChanges.unplanned === 0
      ? []
      : [
          `${counted(codeChanges.unplanned, 'resource')} not compared in time: raise DEADLINE_SECONDS, or choose a --namespace`,
        ]),
  ]);
}

function tableOf(compared: Comparison, size: Terminal['out']): readonly Text[] {
  const { codeChanges, pending } = compared;
  const { first } = codeChanges;
  const rows = [
    ...first.map((one) => [one.key, ...cellsOf(one)]),
    ...pending.map((key) => [key, 'pending', '', 'edited, drifted or failing']),
  ];
  const table =
    rows.length === 0 ? [] : columns(['RESOURCE', 'ACTION', 'CHILD', 'CHANGE'], rows, size);
  const more = codeChanges.children - first.filter((one) => 'child' in one).length;
  const impact = impacts.flatMap((one) => {
    const count = codeChanges.impact[one];
    return count === undefined ? [] : [`${impactText([one])}: ${count}`];
  });
  return [
    ...table,
    ...(more > 0 ? [`${more} more`] : []),
    ...(rows.length === 0 ? [] : ['']),
    ...(codeChanges.waiting === 0
      ? []
      : [
          `A rollout of the deployed version has not reached ${codeChanges.waiting} of these, and changes ${codeChanges.waiting === 1 ? 'it' : 'them'}, too.`,
        ]),
    summaryOf(compared, impact),
  ];
}

function summaryOf(
  { codeChanges, incomplete, pending, unsettled, since, resources, looks }: Comparison,
  impact: readonly string[],
): string {
  if (resources === 0)
    return incomplete.length === 0 ? 'No resources found.' : 'Nothing could be compared.';
  if (codeChanges.resources > 0) {
    const parts = [...impact, ...(unsettled === 0 ? [] : [`${unsettled} pending`])];
    const total = counted(resources, 'resource');
    return `${[`They differ in ${codeChanges.resources} of ${total}`, ...parts].join('; ')}.`;
  }
  const [judged, left] =
    pending.length === 0
      ? ['', '']
      : [`${resources - pending.length} of `, `; ${pending.length} pending`];
  const sinceThen = since === undefined ? '' : ` since ${since}`;
  return `No difference in ${judged}${counted(resources, 'resource')}${sinceThen}, ${counted(looks, 'check')}${left}.`;
}

function cellsOf(one: CodeChange): readonly string[] {
  if ('message' in one) return ['fail', '', one.message];
  const { verb, child, fields, impact } = one;
  const lines = [fields.join(', '), impact.length === 0 ? '' : `→ ${impactText(impact)}`];
  return [verb, child, lines.filter((line) => line !== '').join('\n')];
}
