import type { Command } from 'commander';
import { legalHostLabel } from '../../../shared/kinds/names.ts';
import { monitoringFiles } from '../../generate/monitoring/monitoring.ts';
import type { Cli } from '../base/cli.ts';
import { UsageError } from '../base/command-errors.ts';
import { example } from '../base/command-text.ts';
import { parseInterval } from '../base/interval.ts';
import { type OutputOptions, printOrWrite, settingsOf, withOutput } from './product.ts';

interface MonitoringOptions extends OutputOptions {
  readonly namespace: string;
  readonly interval: string;
  readonly quietHours: string;
  readonly runbook: string;
}

export function addMonitoring(parent: Command, cli: Cli): void {
  withOutput(parent.command('monitoring'))
    .summary('alerts, service levels and a dashboard for Prometheus and Grafana')
    .description(
      'Writes a PrometheusRule with alerts and two service levels, a PodMonitor, a Grafana dashboard, and the configuration by which kube-state-metrics reads the conditions of the kinds. The functions have to serve metrics: generate kubernetes --metrics.',
    )
    .requiredOption('--namespace <name>', 'namespace of the functions')
    .option('--interval <time>', 'time between two resyncs, for the windows of alerts', '5m')
    .option(
      '--quiet-hours <number>',
      'alert if no audit event led to a run for so many hours; 0: never',
      '0',
    )
    .option(
      '--runbook <url>',
      'address of the run book that alerts link to, a copy of docs/alerts.md',
      'docs/alerts.md',
    )
    .addHelpText('after', example('generate monitoring --namespace reconciler --out monitoring'))
    .action(async ({ namespace, quietHours, runbook, ...options }: MonitoringOptions) => {
      if (options.out === undefined)
        throw new UsageError('monitoring is several files: give --out DIR');
      if (!legalHostLabel.test(namespace))
        throw new UsageError(`--namespace: "${namespace}" is not a namespace name`);
      if (!/^\d{1,4}$/.test(quietHours))
        throw new UsageError(`--quiet-hours: "${quietHours}" is not a number of hours`);
      const interval = parseInterval(options.interval).ms / 1000;
      const { kinds, identity } = await settingsOf(cli);
      const to = {
        name: identity.name,
        namespace,
        interval,
        quietHours: Number(quietHours),
        runbook,
      };
      const files = monitoringFiles(kinds, to);
      printOrWrite(cli.terminal, { files, text: '', json: undefined }, options);
    });
}
