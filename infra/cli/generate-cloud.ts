import type { Command } from 'commander';
import { type ClusterName, sinkConditions, sinkFilter } from '../../shared/audit/sink-filter.ts';
import { type Cli, example } from './cli.ts';
import {
  type OutputOptions,
  type Part,
  type Product,
  printOrWrite,
  settingsOf,
  withOutput,
} from './generate-output.ts';
import {
  clusterNameOf,
  type TerraformTarget,
  terraformTargetOf,
  terraformVariables,
} from './generate-variables.ts';

/** With this variable in place of the environment's. */
const withVariable = ({ terminal, ...cli }: Cli, name: string, value: string): Cli => ({
  ...cli,
  terminal: { ...terminal, env: { ...terminal.env, [name]: value } },
});

interface SinkOptions extends OutputOptions, ClusterName {
  readonly ownIdentity?: string;
}

const withClusterName = (command: Command): Command =>
  command
    .requiredOption('--project <id>', 'project of the cluster')
    .requiredOption('--location <location>', 'its region or zone')
    .requiredOption('--cluster <name>', 'its name');

export function addSinkFilter({ cli, parent }: Part): void {
  withOutput(withClusterName(parent.command('sink-filter')))
    .summary('filter and exclusions of the log sink on Google Cloud')
    .description(
      'Prints the filter and the exclusions of the log sink for a cluster, as Terraform makes it: for the kinds in KINDS, and where NAMESPACES is set, for these only.',
    )
    .option(
      '--own-identity <users>',
      'users the functions write as, comma-separated; default: OWN_IDENTITY',
    )
    .addHelpText(
      'after',
      example('generate sink-filter --project my-project --location europe-west1 --cluster main'),
    )
    .action(async ({ ownIdentity: given, ...options }: SinkOptions) => {
      const { kinds, ...config } = await settingsOf(
        given === undefined ? cli : withVariable(cli, 'OWN_IDENTITY', given),
      );
      const target = clusterNameOf(options);
      const sink = sinkFilter(sinkConditions(kinds, { ...config, ...target }));
      printOrWrite(cli.terminal, sinkProduct(sink), options);
    });
}

export function addTerraformVariables({ cli, parent }: Part): void {
  withOutput(withClusterName(parent.command('terraform-variables')))
    .summary("Terraform's variables, from the environment")
    .description(
      'Prints a tfvars file in JSON: the cluster, and of the configuration variables those that are set.',
    )
    .option('--region <region>', 'region of the functions; without it Terraform asks for one')
    .addHelpText(
      'after',
      example(
        'generate terraform-variables --project my-project --region europe-west1 --location europe-west1 --cluster main --out terraform',
      ),
    )
    .action(async (options: OutputOptions & TerraformTarget) => {
      const target = terraformTargetOf(options);
      const json = terraformVariables(target, await cli.config(), {
        env: cli.terminal.env,
        config: await settingsOf(cli),
      });
      const text = `${JSON.stringify(json, null, 2)}\n`;
      const made = new Map([['reconciler.auto.tfvars.json', text]]);
      printOrWrite(cli.terminal, { files: made, text, json }, options);
    });
}

/** The query language takes `--` for a comment. */
function sinkProduct(sink: ReturnType<typeof sinkFilter>): Product {
  const parts = [
    { name: 'filter', path: 'sink/filter.lql', filter: sink.filter },
    ...sink.exclusions.map(({ name, filter }) => ({
      name: `exclusion ${name}`,
      path: `sink/exclusion-${name}.lql`,
      filter,
    })),
  ];
  return {
    files: new Map(parts.map(({ path, filter }) => [path, `${filter}\n`])),
    text: parts.map(({ name, filter }) => `-- ${name}\n${filter}\n`).join('\n'),
    json: sink,
  };
}
