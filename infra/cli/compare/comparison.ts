import { impacts } from '../../../shared/kinds/impact.ts';
import type { CodeChange, CodeChanges } from '../../../shared/preview/dry-run.ts';
import type { Report } from '../../../shared/resync/report.ts';
import { impactText } from '../../actions/impact-text.ts';
import { counted, incompleteProblems, problemLines } from '../../actions/wording.ts';
import type { Terminal } from '../base/terminal.ts';
import { type OutputFormat, printLines, printOutput, type Text, table } from '../output/print.ts';

/** The result of `compare`, as `-o json` prints it. */
export interface Comparison {
  /** True if both versions agreed on every resource for the requested time. */
  readonly agreed: boolean;
  /** The time since which they agree. */
  readonly since: string | undefined;
  readonly checks: number;
  readonly resources: number;
  /** The result of the last check. */
  readonly codeChanges: CodeChanges;
  /**
   * Resources that were never compared: in every check, a run of one of the versions would still have changed them.
   */
  readonly pending: readonly string[];
  /** Resources, in the last check, that a run of either version would change for another reason than its code. */
  readonly unsettled: number;
  readonly incomplete: Report['incomplete'];
}

export function printComparison(
  terminal: Terminal,
  compared: Comparison,
  format: OutputFormat<'table'>,
): void {
  printOutput(terminal, format, { data: compared, table: () => tableOf(compared) });
  const { incomplete, codeChanges } = compared;
  printLines(terminal.err, [
    ...problemLines(incompleteProblems(incomplete), ' could not be compared'),
    ...(codeChanges.unplanned === 0
      ? []
      : [
          `${counted(codeChanges.unplanned, 'resource')} not compared in time: raise DEADLINE_SECONDS, or choose a --namespace`,
        ]),
  ]);
}

function tableOf(compared: Comparison): readonly Text[] {
  const { codeChanges, pending } = compared;
  const { first } = codeChanges;
  const rows = [
    ...first.map((one) => [one.key, ...cellsOf(one)]),
    ...pending.map((key) => [key, 'pending', '', 'edited, drifted or failing']),
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
          `A rollout of the deployed version has not reached ${codeChanges.waiting} of these yet, and will change ${codeChanges.waiting === 1 ? 'it' : 'them'}, too.`,
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
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** True if everything was read and no kind's code changes anything. */
  readonly agrees: boolean;
  /** Resources that a run of either version would still change. */
  readonly pending: readonly string[];
}

/** The time for which two versions have agreed. */
export interface Stability {
  /** Milliseconds since the epoch; undefined while they differ. */
  readonly since: number | undefined;
  /** Resources that were pending in every check since then, so that no check could compare them. */
  readonly pending: readonly string[];
}

export const unstable: Stability = { since: undefined, pending: [] };

/** Adds a check. A difference resets the time; only resources that were pending in every check stay pending. */
export function nextStability({ since, pending }: Stability, sample: ComparisonSample): Stability {
  if (!sample.agrees) return unstable;
  if (since === undefined) return { since: sample.at, pending: sample.pending };
  const still = new Set(sample.pending);
  return { since, pending: pending.filter((key) => still.has(key)) };
}
