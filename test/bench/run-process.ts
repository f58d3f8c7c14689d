import { openRuns, runResync } from '../../functions/runs.ts';
import { parseConfig } from '../../shared/config.ts';
import { website } from '../../shared/kinds/website.ts';
import { createLog } from '../../shared/log.ts';
import type { Report } from '../../shared/reconcile/report.ts';
import { site } from './site.ts';

/** What one resync cost its client, in a process of its own. */
export interface Cost {
  readonly report: Report;
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  readonly peakMiB: number;
}

const config = {
  ...parseConfig(process.env),
  kinds: process.argv[2] === site.kind ? [site] : [website],
};
const runs = openRuns(
  config,
  createLog(() => {}, 'ERROR'),
);
// Loading client-node for the kubeconfig is not part of a run.
const run = await runs.begin('tick');
const before = process.cpuUsage();
const began = performance.now();
const report = await runResync(runs, run, {});
const { user, system } = process.cpuUsage(before);
const cost: Cost = {
  report,
  cpuSeconds: (user + system) / 1e6,
  wallSeconds: (performance.now() - began) / 1000,
  peakMiB: process.resourceUsage().maxRSS / 1024,
};
process.send?.(cost);
process.disconnect?.();
process.exit();
