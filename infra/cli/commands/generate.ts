import type { Command } from 'commander';
import { type Cli, example } from '../base/cli.ts';
import { addSinkFilter, addTerraform, addTerraformVariables } from '../generate/cloud-commands.ts';
import { addKnative, addKubernetes } from '../generate/cluster-commands.ts';
import { addContainer, addWorkflow } from '../generate/container-commands.ts';
import { addCrds, addKustomization, addRbac } from '../generate/manifest-commands.ts';

export function addGenerate(program: Command, cli: Cli): void {
  const generate = program
    .command('generate')
    .summary('print what an installation needs, from the kinds')
    .description(
      'Prints what follows from the kinds that KINDS chooses, or writes it into a directory. Contacts no cluster.',
    )
    .addHelpText(
      'after',
      example(
        'generate crds',
        'generate rbac --user reconciler@my-project.iam.gserviceaccount.com',
      ),
    );
  const context = { cli, parent: generate };
  addCrds(context);
  addRbac(context);
  addKustomization(context);
  addSinkFilter(context);
  addTerraformVariables(context);
  addTerraform(context);
  addContainer(context);
  addKubernetes(context);
  addKnative(context);
  addWorkflow(context);
}
