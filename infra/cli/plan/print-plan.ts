import { present } from '../../../shared/json.ts';
import type { Preview } from '../../../shared/preview/preview.ts';
import type { ReconcileRequest } from '../../../shared/reconcile-request.ts';
import { grouped, incompleteTexts } from '../../actions/wording.ts';
import { allowFieldLoss, lossRemedy } from '../base/allow-field-loss.ts';
import type { Terminal } from '../base/terminal.ts';
import { type OutputFormat, printOutput } from '../output/format.ts';
import { paintFor, printLines } from '../output/text.ts';
import type { FieldLoss } from './field-losses.ts';
import type { Refused } from './make-plan.ts';
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
  { out, err, env }: Pick<Terminal, 'out' | 'err' | 'env'>,
  { request, preview, refused, losses = [], format }: ShownPlan,
): void {
  printOutput(out, format, {
    data: {
      ...planFile(request, preview),
      ...present({ refused }),
      ...(losses.length === 0 ? {} : { losses }),
    },
    table: () => planTable(preview, paintFor(out, env), out),
    diff: () => planDiff(preview, paintFor(out, env)),
    markdown: () => planMarkdown(preview, refused),
  });
  const refusals = (refused ?? []).map(({ key, reason, message }) => ({
    about: key,
    text: `${reason}: ${message}`,
  }));
  printLines(err, [
    ...grouped(incompleteTexts(preview.incomplete)).map(
      ({ about, text }) => `${about} could not be planned: ${text}`,
    ),
    ...grouped(refusals).map(({ about, text }) => `${about} would be refused: ${text}`),
    ...losses.map(
      ({ kind, text }) =>
        `${kind}: its CRD, once installed, loses or refuses values of stored resources: ${text}; ${lossRemedy}, or accept the loss with ${allowFieldLoss}`,
    ),
  ]);
}
