import type { Report } from '../../../shared/resync/report.ts';
import { problemsIn, reportLines } from '../../actions/report-text.ts';
import type { Terminal } from '../base/terminal.ts';
import { type OutputFormat, printLines, printOutput } from './print.ts';

/** Prints the result of a run to stdout and its failures to stderr; returns true if nothing failed. */
export function printReport(terminal: Terminal, report: Report, format: OutputFormat): boolean {
  printOutput(terminal, format, { data: report, text: () => reportLines(report) });
  const problems = problemsIn(report);
  printLines(terminal.err, problems);
  return problems.length === 0;
}
