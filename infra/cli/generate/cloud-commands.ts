import { existsSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Command } from 'commander';
import { type ClusterName, sinkConditions, sinkFilter } from '../../generate/audit/sink-filter.ts';
import { terraformDirectory, terraformFiles } from '../../generate/terraform.ts';
import {
  requireLegalTarget,
  type TerraformTarget,
  terraformVariables,
} from '../../generate/terraform-variables.ts';
import { type Cli, example } from '../base/cli.ts';
import { UsageError } from '../base/command-errors.ts';
import {
  type OutputOptions,
  type Product,
  printOrWrite,
  requireOut,
  settingsOf,
  withOutput,
} from './product.ts';

interface SinkOptions extends OutputOptions, ClusterName {
  readonly ownIdentity?: string;
}

const withClusterName = (command: Command): Command =>
  command
    .requiredOption('--project <id>', 'project of the cluster')
    .requiredOption('--location <location>', 'region or zone of the cluster')
    .requiredOption('--cluster <name>', 'name of the cluster');

const withTarget = (command: Command): Command =>
  withOutput(withClusterName(command)).option(
    '--region <region>',
    'region of the functions; without it Terraform asks for one',
  );

export function addSinkFilter(parent: Command, cli: Cli): void {
  withOutput(withClusterName(parent.command('sink-filter')))
    .summary('filter and exclusions of the log sink on Google Cloud')
    .description(
      'Prints the filter and the exclusions of the log sink that Terraform creates for a cluster, for the kinds in KINDS and, if set, the namespaces in NAMESPACES.',
    )
    .option(
      '--own-identity <users>',
      'comma-separated user names under which the functions write; default: OWN_IDENTITY',
    )
    .addHelpText(
      'after',
      example('generate sink-filter --project my-project --location europe-west1 --cluster main'),
    )
    .action(async (options: SinkOptions) => {
      const { kinds, ...config } = await settingsOf(cli, options);
      requireLegalTarget(options);
      const { project, location, cluster } = options;
      const sink = sinkFilter(sinkConditions(kinds, { ...config, project, location, cluster }));
      printOrWrite(cli.terminal, sinkProduct(sink), options);
    });
}

export function addTerraformVariables(parent: Command, cli: Cli): void {
  withTarget(parent.command('terraform-variables'))
    .summary("Terraform's variables, from the environment")
    .description(
      'Prints a tfvars file in JSON: the cluster, and the configuration variables that are set.',
    )
    .addHelpText(
      'after',
      example(
        'generate terraform-variables --project my-project --region europe-west1 --location europe-west1 --cluster main --out terraform',
      ),
    )
    .action(async (options: OutputOptions & TerraformTarget) => {
      const json = await variablesFor(cli, options);
      const text = inJson(json);
      printOrWrite(cli.terminal, { files: new Map([[variablesFile, text]]), text, json }, options);
    });
}

export function addTerraform(parent: Command, cli: Cli): void {
  withTarget(parent.command('terraform'))
    .summary('Terraform configuration for a reconciler of your own')
    .description(
      "Writes a directory for terraform init: the variables that `terraform-variables` prints, and a configuration that calls this package's module with the output of `build` and the log sink's filter for your kinds.",
    )
    .addHelpText(
      'after',
      example(
        'generate terraform --project my-project --region europe-west1 --location europe-west1 --cluster main --out deploy',
      ),
    )
    .action(async (options: OutputOptions & TerraformTarget) => {
      const out = requireOut(options, 'a Terraform configuration is a directory');
      if (resolve(out) === terraformDirectory)
        throw new UsageError(`--out: ${out} is the module itself; choose another directory`);
      const json = await variablesFor(cli, options);
      // Includes every kind, because the Terraform variable `kinds` selects from them.
      const { kindsFor } = await cli.config();
      const kinds = kindsFor((name) => cli.terminal.env[name]?.trim() ?? '');
      const made = terraformFiles(kinds, pathsFrom(cli, out));
      const files = new Map([...made, [variablesFile, inJson(json)]]);
      printOrWrite(cli.terminal, { files }, options);
    });
}

const variablesFile = 'reconciler.auto.tfvars.json';
const inJson = (value: object): string => `${JSON.stringify(value, null, 2)}\n`;

async function variablesFor(cli: Cli, target: TerraformTarget) {
  requireLegalTarget(target);
  const config = await settingsOf(cli);
  return terraformVariables(target, await cli.config(), { env: cli.terminal.env, config });
}

/** Prefers a path through `node_modules`: a package manager may put the version into the name of the real directory. */
function pathsFrom({ configFile }: Cli, out: string) {
  const root = dirname(configFile());
  const linked = join(root, 'node_modules', 'serverless-reconciler', 'lib', 'terraform');
  const source = existsSync(linked) ? linked : terraformDirectory;
  return { source: pathTo(out, source), build: pathTo(out, join(root, 'dist')) };
}

/** Returns a relative path that begins with `./` or `../`, as Terraform requires of a local module. */
function pathTo(from: string, to: string): string {
  const path = relative(resolve(from), to).split(sep).join('/');
  return path.startsWith('..') ? path : `./${path}`;
}

/** Formats the filter and the exclusions, each below its name in a comment of the query language: `-- filter`. */
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
