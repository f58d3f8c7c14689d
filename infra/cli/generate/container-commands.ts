import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { containerFiles, lockfiles, type PackageManager } from '../../generate/container.ts';
import { workflowFiles } from '../../generate/workflow.ts';
import { type Cli, example } from '../base/cli.ts';
import { UsageError } from '../base/command-errors.ts';
import { type OutputOptions, type Product, printOrWrite, withOutput } from './product.ts';

export function addContainer(parent: Command, cli: Cli): void {
  withOutput(parent.command('container'))
    .summary('Dockerfile and .dockerignore for an image of both functions')
    .description(
      'Prints a Dockerfile and a .dockerignore that belong next to the configuration. The image is built from the lockfile and contains both functions: FUNCTION_TARGET chooses resync or audit.',
    )
    .addHelpText('after', example('generate container', 'generate container --out .'))
    .action((options: OutputOptions) =>
      printOrWrite(cli.terminal, productOf(containerFiles(packageManagerOf(cli))), options),
    );
}

export function addWorkflow(parent: Command, cli: Cli): void {
  withOutput(parent.command('workflow'))
    .summary('GitHub Actions workflow for tests, the build, and a comment with the plan')
    .description(
      'Prints a workflow for a project at the root of its repository. It needs the secret KUBECONFIG. The code of each branch runs with this kubeconfig, so its user should be allowed only to get and list what the plan reads.',
    )
    .addHelpText('after', example('generate workflow --out .'))
    .action((options: OutputOptions) =>
      printOrWrite(cli.terminal, productOf(workflowFiles(packageManagerOf(cli))), options),
    );
}

function packageManagerOf({ configFile }: Cli): PackageManager {
  const root = dirname(configFile());
  const managers = (Object.keys(lockfiles) as PackageManager[]).filter((name) =>
    existsSync(join(root, lockfiles[name])),
  );
  const [found, ...more] = managers;
  if (found === undefined)
    throw new UsageError(
      `${root} has neither ${Object.values(lockfiles).join(' nor ')}: create one with npm install or pnpm install`,
    );
  if (more.length > 0)
    throw new UsageError(
      `${root} has both ${Object.values(lockfiles).join(' and ')}: delete the outdated one`,
    );
  return found;
}

const productOf = (files: ReadonlyMap<string, string>): Product => ({
  files,
  text: [...files].map(([path, text]) => `# ${path}\n${text}`).join('\n'),
  json: Object.fromEntries(files),
});
