import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { defaultKinds } from '../../../shared/config/define-config.ts';
import { hasName } from '../../../shared/kinds/kind.ts';
import { type Cli, example } from '../base/cli.ts';
import { UsageError } from '../base/command-errors.ts';
import { requestFrom, withRequestOptions, type YesOptions } from '../base/request-options.ts';
import { outputOption } from '../output/print.ts';
import { applyPlan } from '../plan/apply-plan.ts';
import { readPlanFile } from '../plan/plan-file.ts';

export function addApply(program: Command, { onCluster, config }: Cli): void {
  const command = program
    .command('apply')
    .argument(
      '[file|resource...]',
      'the plan file that `plan --out FILE` wrote, or a resource: KIND NAME or KIND/NAME; with --kind, NAME or nothing',
    );
  withRequestOptions(command)
    .summary('apply a plan exactly as shown')
    .description(
      'Plans, asks for confirmation, and applies exactly that plan. Then re-reads the written children until they are ready, for at most SETTLE_SECONDS, and updates the statuses. If an object has changed since the plan in FILE was made, lists the changes and writes nothing. Without a terminal it needs --yes or FILE.',
    )
    .option('-y, --yes', 'do not ask before applying')
    .addOption(outputOption())
    .addHelpText('after', example('apply plan.json', 'apply KIND NAME -n team-a'))
    .action(async (words: readonly string[], options: YesOptions) => {
      const { namespace, allNamespaces } = options;
      const file = await fileAmong(words, options, config);
      if (file !== undefined && (namespace !== undefined || allNamespaces))
        throw new UsageError(
          'a plan file names its own resources: omit -n and -A, or give KIND NAME instead of the file',
        );
      const plan = file === undefined ? undefined : readPlanFile(file);
      return onCluster(options, (session) => {
        const given = plan ?? { request: requestFrom(session, options, words) };
        return applyPlan(session, { command: 'apply', ...given, file, ...options });
      });
    });
}

/** Returns a single word as the name of a plan file; undefined with --kind, or for KIND/NAME if no such file exists. */
async function fileAmong(
  [word, ...more]: readonly string[],
  { kind }: YesOptions,
  config: Cli['config'],
): Promise<string | undefined> {
  if (word === undefined || more.length > 0 || kind !== undefined) return undefined;
  if (!word.includes('/') || existsSync(word)) return word;
  const [named = ''] = word.split('/');
  return defaultKinds(await config()).some((one) => hasName(one, named)) ? undefined : word;
}
