import type { Command } from 'commander';
import type { Kind } from '../../shared/kinds/kind.ts';
import { rolloutAnnotation, rolloutFirstAnnotation } from '../../shared/kinds/names.ts';
import {
  groupResource,
  type ObjectMeta,
  qualifiedName,
  type ResourceType,
  titleOf,
} from '../../shared/kubernetes.ts';
import { pausedValue, type Steering } from '../../shared/plan/rollout-steering.ts';
import { areaOf } from '../../shared/reconcile/area.ts';
import { definitionType } from '../../shared/reconcile/rollout-steering.ts';
import type { Run } from '../../shared/reconcile/run.ts';
import { annotate } from './annotate.ts';
import { type Cli, example, printPlace, withCluster } from './cli.ts';
import { some } from './doctor/check.ts';
import { CommandError, exitCodes } from './errors.ts';
import type { KubeOptions } from './kubeconfig.ts';
import type { Operator } from './operator.ts';
import { type OutputFormat, outputOption, printOutput } from './output.ts';
import { counted, printLines } from './print.ts';
import { requireServer } from './require-server.ts';
import { type KindRollout, readRollout } from './rollout-state.ts';
import { requireFound, scopeFrom } from './scope.ts';
import type { Terminal } from './terminal.ts';

interface SteeringOptions extends KubeOptions {
  readonly output: OutputFormat;
}

/** What a command writes, and what that does. */
interface Change {
  readonly text: string;
  /** Undefined removes the annotation. */
  readonly value: string | undefined;
}

/** `rollout pause`, `rollout resume` and `rollout first`. */
export function addRolloutSteering(rollout: Command, cli: Cli): void {
  withCluster(rollout.command('pause').argument('<kind>'))
    .summary('begin no further resource of a kind')
    .description(
      'Begins no further resource of a kind, now and in rollouts to come, until it is resumed: annotates its definition. What is under way goes on; edits, repairs and harmless changes never wait.',
    )
    .addOption(outputOption())
    .addHelpText('after', example('rollout pause Website'))
    .action(command(cli, pausing));
  withCluster(rollout.command('resume').argument('<kind>'))
    .summary('go on after a pause or a halt')
    .description(
      'Goes on after a pause or a halt. Resources that have failed so far no longer count, and take no place: they keep what they have until a version repairs them.',
    )
    .addOption(outputOption())
    .addHelpText('after', example('rollout resume Website'))
    .action(command(cli, resuming));
  addFirst(rollout, cli);
}

const command =
  ({ operate, terminal }: Cli, changeOf: (rollout: KindRollout, steering: Steering) => Change) =>
  (word: string, options: SteeringOptions): Promise<void> => {
    const act = async (operator: Operator): Promise<number> => {
      const kind = kindOf(operator, word);
      const run = await operator.begin();
      const name = groupResource(kind);
      // Before the rest, so that the write is refused if anyone else steers it meanwhile.
      const live = await run.cluster.getMetadata(definitionType, { name });
      if (live === undefined) throw new CommandError(`the definition ${name} is not installed`);
      const { rollout, steering } = await readRollout(run, kind, operator);
      const change = changeOf(rollout, steering);
      return write(run, terminal, {
        ...{ ...change, annotation: rolloutAnnotation, output: options.output },
        object: { type: definitionType, name, live },
      });
    };
    return operate(options, act, [requireServer, printPlace]);
  };

function kindOf(operator: Operator, word: string): Kind {
  const [kind] = areaOf(scopeFrom(operator, { kind: word }, undefined), operator.config).kinds;
  if (kind === undefined) throw new CommandError(`${word} is not in the configuration`);
  return kind;
}

const pausing = ({ kind, underWay, waiting }: KindRollout, { paused }: Steering): Change => ({
  value: pausedValue,
  text: paused
    ? `${kind} is paused already`
    : `pausing ${kind}: of its resources ${underWay} under way go on, ${waiting} wait until it is resumed`,
});

/** Failures are known by the time at which a run has marked them, which is the server's. */
function resuming(
  { kind, state, members, waiting }: KindRollout,
  { paused, resumedAt }: Steering,
): Change {
  const isHalted = state === 'halted';
  if (isHalted && members.some((one) => one.state === 'late'))
    throw new CommandError(
      `${kind}: no run has noticed yet that a resource is not Ready in time, so it would halt again: resume it after the next tick`,
    );
  if (!paused && !isHalted)
    return { text: `${kind} is neither paused nor halted`, value: resumedAt || undefined };
  const failed = members.filter((one) => one.state === 'failed' || one.state === 'forgiven');
  const names = failed.map(({ namespace, name }) => qualifiedName(namespace, name));
  const without = names.length === 0 ? '' : `; no longer counted as failed: ${some(names)}`;
  return {
    text: `resuming ${kind}: ${counted(waiting, 'resource')} in line for their turn${without}`,
    value: failed
      .map(({ since }) => since)
      .toSorted()
      .at(-1),
  };
}

interface FirstOptions extends SteeringOptions {
  readonly namespace?: string;
}

function addFirst(rollout: Command, { operate, terminal }: Cli): void {
  withCluster(rollout.command('first').argument('<kind>').argument('<name>'))
    .summary('let one resource go before the others')
    .description(
      'Lets one resource go before the others, now and in rollouts to come: annotates it. It still waits for a place, and until it is Ready.',
    )
    .option('-n, --namespace <namespace>', "default: the context's")
    .addOption(outputOption())
    .addHelpText('after', example('rollout first Website shop -n team-a'))
    .action((word: string, name: string, options: FirstOptions) => {
      const act = async (operator: Operator): Promise<number> => {
        const scope = scopeFrom(operator, { ...options, kind: word }, name);
        const kind = kindOf(operator, word);
        const run = await operator.begin();
        const key = { namespace: scope.namespace, name };
        const live = await run.cluster.getMetadata(kind, key);
        await requireFound(operator, scope, live === undefined ? 0 : 1);
        if (live === undefined) return exitCodes.failed;
        const title = titleOf({ kind: kind.kind, ...key });
        return write(run, terminal, {
          text: `${title} goes before the others of its kind, in each rollout until the annotation is removed`,
          ...{ value: 'true', annotation: rolloutFirstAnnotation, output: options.output },
          object: { type: kind, ...key, live },
        });
      };
      return operate(options, act, [requireServer, printPlace]);
    });
}

interface Write extends Change {
  readonly annotation: string;
  readonly object: {
    readonly type: ResourceType;
    readonly namespace?: string | undefined;
    readonly name: string;
    readonly live: ObjectMeta;
  };
  readonly output: OutputFormat;
}

/** Says what it does, and writes it; nothing where it is so already. */
async function write(
  { cluster }: Run,
  { out, err }: Terminal,
  { text, value, annotation: name, object, output }: Write,
): Promise<number> {
  printLines(err, [text]);
  const before = object.live.annotations?.[name];
  await annotate(cluster, object, { name, value, manager: 'reconciler-rollout' });
  const title = titleOf({ ...object, kind: object.type.kind });
  const done = value === undefined ? `without ${name}` : `${name}=${value}`;
  printOutput(out, output, {
    data: { object: title, annotation: name, value: value ?? null, changed: before !== value },
    text: () => [before === value ? 'nothing to write' : `${title}: ${done}`],
  });
  return exitCodes.done;
}
