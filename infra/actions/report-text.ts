import { requestsIn } from '../../shared/cluster/cluster.ts';
import type { Report } from '../../shared/resync/report.ts';
import { counted, incompleteProblems, problemLines, problemOf } from './wording.ts';

export function reportLines(report: Report): readonly string[] {
  const { resources, outcomes, statusWrites, requests, durationMs } = report;
  const done = Object.entries(outcomes).filter(([, count]) => count > 0);
  const children = done.map(([outcome, count]) => `${count} ${outcome}`).join(', ');
  const otherwise = problemsIn(report).length === 0 ? 'all up to date' : 'none written';
  return [
    `${counted(resources.total, 'resource')}: ${resources.unchanged} unchanged, ${resources.reconciled} reconciled`,
    `children: ${children || otherwise}; ${counted(statusWrites, 'status', 'statuses')} written`,
    `${counted(requestsIn(requests), 'request')} in ${(durationMs / 1000).toFixed(1)} s`,
  ];
}

export const problemsIn = ({
  failures,
  moreFailures,
  incomplete,
  undone,
  pruning,
}: Report): readonly string[] => [
  ...problemLines(incompleteProblems(incomplete), ' could not be reconciled'),
  ...problemLines(failures.map(problemOf)),
  ...(moreFailures === 0 ? [] : [`${counted(moreFailures, 'more failure')}`]),
  ...undone.map((key) => `${key} was not finished: try again, or raise DEADLINE_SECONDS`),
  ...(pruning === 'allowed' ? [] : [`deletions were withheld: ${pruning}`]),
];
