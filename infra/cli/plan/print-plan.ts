import { present } from '../../../shared/json.ts';
import type { Preview } from '../../../shared/preview/preview.ts';
import type { ReconcileRequest } from '../../../shared/reconcile-request.ts';
import { incompleteProblems, problemLines, problemOf } from '../../actions/wording.ts';
import { lossRemedy } from '../../check/field-loss.ts';
import type { Terminal } from '../base/terminal.ts';
import { type OutputFormat, printLines, printOutput } from '../output/print.ts';
import type { FieldLoss, Refused } from './make-plan.ts';
import { planDiff } from './plan-diff.ts';
import { planFile } from './plan-file.ts';
import { planMarkdown } from './plan-markdown.ts';
import { planTable } from './plan-table.ts';

export type PlanFormat = OutputFormat<'table' | 'diff' | 'markdown'>;

interface ShownPlan {
  readonly request: ReconcileRequest;
  readonly preview: Preview;
  readonly refused?: readonly Refused[] | undefined;
  readonly losses?: readonly FieldLoss[];
  readonly format: PlanFormat;
}

export function printPlan(
  terminal: Pick<Terminal, 'out' | 'err' | 'env'>,
  { request, preview, refused, losses = [], format }: ShownPlan,
): void {
  printOutput(terminal, format, {
    data: {
      ...planFile(request, preview),
      ...present({ refused }),
      ...(losses.length === 0 ? {} : { losses }),
    },
    table: () => planTable(preview),
    diff: () => planDiff(preview),
    markdown: () => planMarkdown(preview, refused),
  });
  printLines(terminal.err, [
    ...problemLines(incompleteProblems(preview.incomplete), ' could not be planned'),
    ...problemLines((refused ?? []).map(problemOf), ' would be refused'),
    ...losses.map(
      ({ kind, text }) =>
        `${kind}: its new CRD would drop or refuse values of stored resources: ${text}; ${lossRemedy}`,
    ),
  ]);
}
