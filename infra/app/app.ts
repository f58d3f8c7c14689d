import type { Command } from 'commander';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { JsonObject, KubeObject } from '../../shared/kubernetes.ts';
import type { KubeOptions } from '../cli/base/choose-context.ts';
import { type Cli, example, withCluster } from '../cli/base/cli.ts';
import { CommandError, exitCodes, UsageError } from '../cli/base/command-errors.ts';
import type { Session } from '../cli/base/session.ts';
import { wholeNumber } from '../cli/base/whole-number.ts';
import { type OutputFormat, outputOption, printOutput } from '../cli/output/print.ts';
import { type Apps, appsOf, deploy, teardown, update } from './app-operations.ts';
import { appRow, appTable } from './app-table.ts';
import { readEndpoints } from './endpoints-file.ts';

interface AppOptions extends KubeOptions {
  readonly namespace?: string;
  readonly output: OutputFormat;
}

interface SpecOptions extends AppOptions {
  readonly image?: string;
  readonly min?: number;
  readonly max?: number;
  readonly port?: number;
  readonly endpoints?: string;
}

export function addApp(program: Command, cli: Cli): void {
  const app = program
    .command('app')
    .summary('deploy, update, tear down and list ContainerApps')
    .description('Deploys, updates, tears down and lists ContainerApps.')
    .addHelpText('after', example('app deploy shop nginx:1.29', 'app list'));
  addDeploy(app, cli);
  addUpdate(app, cli);
  addTeardown(app, cli);
  addList(app, cli);
}

const withCommon = (command: Command): Command =>
  withCluster(command)
    .option('-n, --namespace <namespace>', 'default: the namespace of the context, else "default"')
    .addOption(outputOption());

const withBounds = (command: Command): Command =>
  command
    .option('--min <count>', 'minimum number of replicas', whole)
    .option('--max <count>', 'maximum number of replicas; default: the same as --min', whole)
    .option(
      '--endpoints <file>',
      'file with a YAML or JSON list of {path, scopes}, which replaces the current list',
    );

const whole = wholeNumber(0);

function addDeploy(app: Command, { onCluster }: Cli): void {
  withBounds(withCommon(app.command('deploy').argument('<name>').argument('<image>')))
    .summary('create a ContainerApp')
    .description('Creates a ContainerApp. Fails and changes nothing if one of that name exists.')
    .option('--port <port>', 'port the container listens on; default: 80', whole)
    .addHelpText(
      'after',
      example('app deploy shop nginx:1.29 --min 1 --max 3 --endpoints endpoints.yaml'),
    )
    .action((name: string, image: string, options: SpecOptions) =>
      onCluster(options, async (session) => {
        const apps = writable(session, options);
        const live = await deploy(apps, name, changesOf(apps, { ...options, image }));
        return printApp(session, { kind: apps.kind, done: 'deployed', live, options });
      }),
    );
}

function addUpdate(app: Command, { onCluster }: Cli): void {
  withBounds(withCommon(app.command('update').argument('<name>')))
    .summary('change only the given fields of a ContainerApp')
    .description(
      'Changes only the given fields of the latest version; concurrent changes to other fields are kept.',
    )
    .option('--image <image>', 'container image')
    .addHelpText('after', example('app update shop --image nginx:1.30', 'app update shop --max 5'))
    .action((name: string, options: SpecOptions) => {
      const { image, min, max, endpoints } = options;
      if ([image, min, max, endpoints].every((option) => option === undefined))
        throw new UsageError(
          'nothing to update: give at least one of --image, --min, --max, --endpoints',
        );
      return onCluster(options, async (session) => {
        const apps = writable(session, options);
        const live = await update(apps, name, changesOf(apps, options));
        return printApp(session, { kind: apps.kind, done: 'updated', live, options });
      });
    });
}

function addTeardown(app: Command, { onCluster, terminal }: Cli): void {
  withCommon(app.command('teardown').argument('<name>'))
    .summary('delete a ContainerApp and its children')
    .description('Deletes a ContainerApp; its children are garbage-collected.')
    .addHelpText('after', example('app teardown shop'))
    .action((name: string, options: AppOptions) =>
      onCluster(options, async (session) => {
        const apps = writable(session, options);
        await teardown(apps, name);
        const { namespace } = apps;
        printOutput(terminal, options.output, {
          data: { namespace, name, deleted: true },
          text: () => [`ContainerApp ${namespace}/${name} deleted`],
        });
        return exitCodes.done;
      }),
    );
}

function addList(app: Command, { onCluster, terminal }: Cli): void {
  withCommon(app.command('list'))
    .summary('list ContainerApps')
    .description('Lists ContainerApps: image, port, replica bounds, endpoints, readiness, age.')
    .option('-A, --all-namespaces', 'list ContainerApps in all namespaces')
    .addHelpText('after', example('app list -n team-a', 'app list -A -o json'))
    .action((options: AppOptions & { readonly allNamespaces?: true }) =>
      onCluster(options, async (session) => {
        const { kind, namespace } = appsOf(session, options.namespace);
        const { cluster } = await session.begin();
        const live: KubeObject[] = [];
        const where = options.allNamespaces ? {} : { namespace };
        await cluster.list(kind, where, (one) => live.push(one));
        const rows = live.map((one) => appRow(kind, one, session.config.identity));
        printOutput(terminal, options.output, {
          data: rows,
          text: () => appTable(rows, terminal.now()),
        });
        return exitCodes.done;
      }),
    );
}

function writable(session: Session, { namespace }: AppOptions): Apps {
  if (session.config.dryRun)
    throw new CommandError('DRY_RUN is true, so nothing is written: unset DRY_RUN');
  return appsOf(session, namespace);
}

function changesOf({ kind }: Apps, { image, port, min, max, endpoints }: SpecOptions): JsonObject {
  const list = endpoints === undefined ? undefined : readEndpoints(kind, endpoints);
  const given = { image, port, minReplicas: min, maxReplicas: max, endpoints: list };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function printApp(
  { config, terminal }: Session,
  {
    kind,
    done,
    live,
    options,
  }: {
    readonly kind: Kind;
    readonly done: string;
    readonly live: KubeObject;
    readonly options: AppOptions;
  },
): number {
  const row = appRow(kind, live, config.identity);
  printOutput(terminal, options.output, {
    data: row,
    text: () => [
      `ContainerApp ${row.namespace}/${row.name} ${done}`,
      ...appTable([row], terminal.now()),
    ],
  });
  return exitCodes.done;
}
