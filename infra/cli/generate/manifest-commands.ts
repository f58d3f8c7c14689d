import type { Command } from 'commander';
import type { Config } from '../../../shared/config/config.ts';
import type { Kind } from '../../../shared/kinds/kind.ts';
import { fieldLossIn } from '../../check/field-loss.ts';
import * as files from '../../generate/files.ts';
import { monitoringFiles } from '../../generate/monitoring/monitoring.ts';
import { type Cli, example } from '../base/cli.ts';
import { CommandError, UsageError } from '../base/command-errors.ts';
import { type FieldLossOptions, withFieldLoss } from '../base/field-loss.ts';
import { parseInterval } from '../base/interval.ts';
import type { Terminal } from '../base/terminal.ts';
import { wholeNumber } from '../base/whole-number.ts';
import {
  manifests,
  type OutputOptions,
  printOrWrite,
  requireNamespace,
  requireOut,
  settingsOf,
  withOutput,
} from './product.ts';

interface GrantOptions extends OutputOptions {
  readonly user?: string;
  readonly namespaces?: string;
}

const withGrant = (command: Command): Command =>
  command
    .option(
      '--user <user>',
      'user to bind, such as system:serviceaccount:NAMESPACE:NAME; default: OWN_IDENTITY, if it is a single name',
    )
    .option(
      '--namespaces <names>',
      'comma-separated namespaces, each of which gets a Role and a RoleBinding; default: the variable NAMESPACES or, if it is not set, the whole cluster',
    );

export function addCrds(parent: Command, cli: Cli): void {
  withFieldLoss(withOutput(parent.command('crds')))
    .summary('the CustomResourceDefinitions')
    .description(
      'Prints the CRDs. With --out, refuses to replace a file if the new CRD drops or narrows a field of the old CRD, or lacks the version in which resources are stored; `doctor` and `plan` compare with the CRDs in the cluster.',
    )
    .addHelpText('after', example('generate crds', 'generate crds --out install'))
    .action(async (options: OutputOptions & FieldLossOptions) => {
      const { kinds } = await settingsOf(cli);
      requireNoFieldLoss(options, kinds);
      printOrWrite(cli.terminal, manifests(files.definitionFiles(kinds)), options);
    });
}

export function addRbac(parent: Command, cli: Cli): void {
  withOutput(withGrant(parent.command('rbac')))
    .summary('the permissions the functions need, for a user')
    .description(
      'Prints a ClusterRole and its binding; with namespaces a Role and a RoleBinding in each, and a ClusterRole that only reads the CRDs. Write access to workloads and Secrets in the whole cluster is close to cluster-admin, and RBAC cannot restrict it by label: give --namespaces where you can. With Roles, an error about a node port in use cannot name the Service that has it, because the Service may be in any namespace.',
    )
    .addHelpText(
      'after',
      example(
        'generate rbac --user reconciler@my-project.iam.gserviceaccount.com --namespaces team-a,team-b',
      ),
    )
    .action(async (options: GrantOptions) => {
      const { kinds, ...config } = await settingsOf(cli, options);
      const grant = grantOf(cli.terminal, options, config);
      printOrWrite(cli.terminal, manifests(files.rbacFiles(kinds, grant)), options);
    });
}

export function addKustomization(parent: Command, cli: Cli): void {
  const command = parent.command('kustomization', { isDefault: true });
  withFieldLoss(withOutput(withGrant(command)))
    .summary('CRDs and permissions as a directory for `kubectl apply -k` (default)')
    // As the default command, receives an unknown command name as an argument.
    .allowExcessArguments()
    .addHelpText('after', example('generate kustomization --user me@example.com --out install'))
    .action(async (options: GrantOptions & FieldLossOptions, { args: [unknown] }: Command) => {
      if (unknown !== undefined)
        throw new UsageError(`generate has no command ${unknown}; see generate --help`);
      requireOut(options, 'a kustomization is a directory');
      const { kinds, ...config } = await settingsOf(cli, options);
      requireNoFieldLoss(options, kinds);
      const made = files.installationFiles(kinds, grantOf(cli.terminal, options, config));
      printOrWrite(cli.terminal, { files: made }, options);
    });
}

function requireNoFieldLoss(
  { out, allowFieldLoss }: OutputOptions & FieldLossOptions,
  kinds: readonly Kind[],
): void {
  const loss = out === undefined || allowFieldLoss ? undefined : fieldLossIn(out, kinds);
  if (loss !== undefined) throw new CommandError(loss);
}

function grantOf(
  { err }: Terminal,
  { user }: GrantOptions,
  {
    identity: { name },
    namespaces,
    ownIdentity,
  }: Pick<Config, 'identity' | 'namespaces' | 'ownIdentity'>,
) {
  if (user?.trim() === '') throw new UsageError('--user: the user name is empty');
  const [only, ...more] = ownIdentity;
  const placeholder = files.placeholderUser(name);
  const named = user ?? (more.length === 0 ? only : undefined);
  if (named === undefined)
    err.write(
      `no --user is given: replace ${placeholder} in the binding with the user of the functions\n`,
    );
  return { name, user: named ?? placeholder, namespaces };
}

interface MonitoringOptions extends OutputOptions {
  readonly namespace: string;
  readonly interval: string;
  readonly quietHours: number;
  readonly runbook: string;
}

export function addMonitoring(parent: Command, cli: Cli): void {
  withOutput(parent.command('monitoring'))
    .summary('alerts, service levels and a dashboard for Prometheus and Grafana')
    .description(
      'Writes a PrometheusRule with alerts and two service level objectives, a PodMonitor, a Grafana dashboard, and a configuration for kube-state-metrics, which exports the conditions of the resources. The functions must serve metrics, as with generate kubernetes --metrics.',
    )
    .requiredOption('--namespace <name>', 'namespace in which the functions run')
    .option(
      '--interval <time>',
      'time between two resyncs, which determines the windows of alerts',
      '5m',
    )
    .option(
      '--quiet-hours <number>',
      'an alert fires if no audit event has led to a run for this many hours; 0: no such alert',
      wholeNumber(0, 9_999),
      0,
    )
    .option(
      '--runbook <url>',
      'URL of the runbook to which alerts link (publish a copy of docs/alerts.md there)',
      'docs/alerts.md',
    )
    .addHelpText('after', example('generate monitoring --namespace reconciler --out monitoring'))
    .action(async ({ namespace, quietHours, runbook, ...options }: MonitoringOptions) => {
      requireOut(options, 'monitoring is several files');
      requireNamespace(namespace);
      const interval = parseInterval(options.interval).ms / 1000;
      const { kinds, identity } = await settingsOf(cli);
      const to = { name: identity.name, namespace, interval, quietHours, runbook };
      const files = monitoringFiles(kinds, to);
      printOrWrite(cli.terminal, { files }, options);
    });
}
