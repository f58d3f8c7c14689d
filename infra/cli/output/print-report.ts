import type { Report } from '../../../shared/resync/report.ts';
import { problemsIn, reportLines } from '../../actions/report-text.ts';
import { type OutputFormat, printOutput } from './format.ts';
import { printLines, type Stream } from './text.ts';

/** Prints the result of a run to one stream and its failures to the other; returns true if there are none. */
export function printReport(
  { out, err }: { readonly out: Stream; readonly err: Stream },
  report: Report,
  format: OutputFormat,
): boolean {
  printOutput(out, format, { data: report, text: () => reportLines(report) });
  const problems = problemsIn(report);
  printLines(err, problems);
  return problems.length === 0;
}
