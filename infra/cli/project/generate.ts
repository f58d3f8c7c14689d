import type { Command } from 'commander';
import { type Cli, example } from '../base/cli.ts';
import { addSinkFilter, addTerraform, addTerraformVariables } from '../generate/cloud-commands.ts';
import { addHelm, addKnative, addKubernetes } from '../generate/cluster-commands.ts';
import { addContainer, addWorkflow } from '../generate/container-commands.ts';
import {
  addCrds,
  addKustomization,
  addMonitoring,
  addRbac,
} from '../generate/manifest-commands.ts';

export function addGenerate(program: Command, cli: Cli): void {
  const generate = program
    .command('generate')
    .summary('print CRDs, permissions and manifests for an installation')
    .description(
      'Prints files for the kinds that KINDS chooses or, with --out, writes them to a directory. Without a subcommand, generates a kustomization. Contacts no cluster.',
    )
    .addHelpText(
      'after',
      example(
        'generate --out install',
        'generate crds',
        'generate rbac --user reconciler@my-project.iam.gserviceaccount.com',
      ),
    );
  for (const add of [
    addCrds,
    addRbac,
    addKustomization,
    addSinkFilter,
    addTerraformVariables,
    addTerraform,
    addContainer,
    addKubernetes,
    addHelm,
    addKnative,
    addMonitoring,
    addWorkflow,
  ])
    add(generate, cli);
}
