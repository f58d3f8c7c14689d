import type { Command } from 'commander';
import type { Kind } from '../../../shared/kinds/kind.ts';
import { titleOf } from '../../../shared/kubernetes.ts';
import { areaOf } from '../../../shared/run/area.ts';
import type { Run } from '../../../shared/run/run.ts';
import {
  goingFirst,
  pausing,
  type RolloutChange,
  resuming,
  writeChange,
} from '../../actions/rollout-actions.ts';
import type { KubeOptions } from '../base/choose-context.ts';
import { beforeWriting, type Cli, withCluster } from '../base/cli.ts';
import { CommandError, exitCodes } from '../base/command-errors.ts';
import { example } from '../base/command-text.ts';
import { requestFrom, requireFound } from '../base/request-options.ts';
import type { Session } from '../base/session.ts';
import type { Terminal } from '../base/terminal.ts';
import { type OutputFormat, outputOption, printOutput } from '../output/format.ts';
import { printLines } from '../output/text.ts';

interface ControlOptions extends KubeOptions {
  readonly output: OutputFormat;
}

/** `rollout pause`, `rollout resume` and `rollout first`. */
export function addRolloutControl(rollout: Command, cli: Cli): void {
  withCluster(rollout.command('pause').argument('<kind>'))
    .summary('pause the rollout of a kind')
    .description(
      'Annotates the CRD, so that this rollout and later ones change no further resources until they are resumed. Resources already in progress continue; edits, repairs and non-disruptive changes are not delayed.',
    )
    .addOption(outputOption())
    .addHelpText('after', example('rollout pause KIND'))
    .action(command(cli, pausing));
  withCluster(rollout.command('resume').argument('<kind>'))
    .summary('resume the rollout of a kind after a pause or a halt')
    .description(
      'Resumes the rollout of a kind after a pause or a halt. Resources that have failed so far no longer count and take no slot; they stay unchanged until a version repairs them.',
    )
    .addOption(outputOption())
    .addHelpText('after', example('rollout resume KIND'))
    .action(command(cli, resuming));
  addFirst(rollout, cli);
}

const command =
  ({ onCluster }: Cli, plan: typeof pausing) =>
  (word: string, { output, ...options }: ControlOptions): Promise<void> =>
    onCluster(
      options,
      async (session) => {
        const kind = kindOf(session, word);
        const run = await session.begin();
        const change = await plan(run, kind, session);
        return write(run, session.terminal, { change, output });
      },
      beforeWriting,
    );

function kindOf(session: Session, word: string): Kind {
  const [kind] = areaOf(requestFrom(session, { kind: word }, []), session.config).kinds;
  if (kind === undefined) throw new CommandError(`${word} is not in the configuration`);
  return kind;
}

interface FirstOptions extends ControlOptions {
  readonly namespace?: string;
}

function addFirst(rollout: Command, { onCluster }: Cli): void {
  withCluster(rollout.command('first').argument('<kind>').argument('<name>'))
    .summary('roll out to one resource first')
    .description(
      'Annotates a resource, so that this rollout and later ones change it before the others of its namespace and, until one resource is done, before other namespaces. It still waits until it is Ready and a slot is free.',
    )
    .option('-n, --namespace <namespace>', "default: the context's")
    .addOption(outputOption())
    .addHelpText('after', example('rollout first KIND NAME -n team-a'))
    .action((word: string, name: string, options: FirstOptions) =>
      onCluster(
        options,
        async (session) => {
          const request = requestFrom(session, { ...options, kind: word }, [name]);
          const kind = kindOf(session, word);
          const run = await session.begin();
          const change = await goingFirst(run, kind, { namespace: request.namespace, name });
          await requireFound(session, request, change === undefined ? 0 : 1);
          if (change === undefined) return exitCodes.failed;
          return write(run, session.terminal, { change, output: options.output });
        },
        beforeWriting,
      ),
    );
}

interface Write {
  readonly change: RolloutChange;
  readonly output: OutputFormat;
}

/** Prints what the change does, and writes it. */
async function write(run: Run, { out, err }: Terminal, { change, output }: Write): Promise<number> {
  const { text, object, annotation, value } = change;
  printLines(err, [text]);
  await writeChange(run, change, 'reconciler-rollout');
  const before = object.live.annotations?.[annotation];
  const title = titleOf({ ...object, kind: object.type.kind });
  const done = value === undefined ? `without ${annotation}` : `${annotation}=${value}`;
  printOutput(out, output, {
    data: { object: title, annotation, value: value ?? null, changed: before !== value },
    text: () => [before === value ? 'nothing to write' : `${title}: ${done}`],
  });
  return exitCodes.done;
}
