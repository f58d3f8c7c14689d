import { titleOf } from '../../../shared/kubernetes.ts';
import type { Preview } from '../../../shared/preview/preview.ts';
import { printable } from '../../../shared/printable.ts';
import { effectText } from '../../actions/impact-text.ts';
import { plainOf } from '../output/print.ts';
import type { Refused } from './make-plan.ts';
import { planDiff } from './plan-diff.ts';
import { changeOf, planSummary } from './plan-table.ts';

/** Formats a plan as a comment on a pull request: totals, a table of changes, and a folded diff. */
export function planMarkdown(
  preview: Preview,
  refused: readonly Refused[] = [],
): readonly string[] {
  const rows = preview.resources.flatMap(({ actions, ...resource }) =>
    actions.map((action) => [
      action.verb,
      code(titleOf(action.child)),
      code(titleOf(resource)),
      effectText(action) || (action.impact === undefined ? '' : 'none'),
      changeOf(action).map(code).join('<br>'),
    ]),
  );
  const head = ['action', 'object', 'of', 'impact', 'change'];
  return [
    '### Plan of serverless-reconciler',
    '',
    ...planSummary(preview),
    ...refused.flatMap(({ key, reason, message }) => [
      '',
      `**Would be refused**: ${code(key)}: ${code(`${reason}: ${message}`)}`,
    ]),
    ...preview.resources.flatMap(({ message, ...resource }) =>
      message === undefined ? [] : ['', `**${code(titleOf(resource))}**: ${code(message)}`],
    ),
    ...(rows.length === 0
      ? []
      : [
          '',
          rowOf(head),
          rowOf(head.map(() => '---')),
          ...rows.map(rowOf),
          ...folded(planDiff(preview).map(plainOf)),
        ]),
  ];
}

export const rowOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

/** Formats text as code, in which Markdown, HTML and mentions have no effect. Omits empty lines, which would end it. */
export const code = (text: string): string =>
  text
    .split(/[\r\n]+/)
    .filter((line) => line.trim() !== '')
    .map(codeLine)
    .join('<br>');

function codeLine(text: string): string {
  const fence = fenceFor(text, 1);
  const pad = /^`|`$/.test(text) ? ' ' : '';
  // Doubles backslashes before a bar, because GitHub reads `\\|` as an escaped backslash and the end of the cell.
  return fence + pad + printable(text).replace(/(?<!\\)(\\*)\|/g, '$1$1\\|') + pad + fence;
}

/** Returns a fence that is longer than any sequence of backticks in the text. */
const fenceFor = (text: string, least: number): string =>
  '`'.repeat(Math.max(least, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));

function folded(lines: readonly string[]): readonly string[] {
  const fence = fenceFor(lines.join('\n'), 3);
  return [
    '',
    '<details><summary>Difference</summary>',
    '',
    `${fence}diff`,
    ...lines,
    fence,
    '',
    '</details>',
  ];
}
