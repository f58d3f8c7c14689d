import type { Command } from 'commander';
import { titleOf } from '../../../shared/kubernetes.ts';
import type { SyncState } from '../../../shared/plan/sync-state.ts';
import { areaOf } from '../../../shared/reconcile/area.ts';
import { inspect } from '../../../shared/reconcile/inspect.ts';
import { beforeReading, type Cli, example, withCluster } from '../base/cli.ts';
import { exitCodes } from '../base/errors.ts';
import type { KubeOptions } from '../base/kubeconfig.ts';
import { requireFound, type ScopeOptions, scopeFrom, withResource } from '../base/scope.ts';
import { type Paint, paintFor, type Terminal } from '../base/terminal.ts';
import { ageOf } from '../output/age.ts';
import { type OutputFormat, outputOption, printOutput } from '../output/format.ts';
import { columns, printLines, type Text } from '../output/print.ts';
import { type ResourceStatusView, statusViewOf } from '../resource-status.ts';

interface StatusOptions extends KubeOptions, ScopeOptions {
  readonly output: OutputFormat<'table'>;
}

export function addStatus(program: Command, { operate, terminal }: Cli): void {
  withCluster(withResource(program.command('status')))
    .summary('show resources and their children: state, readiness and last change')
    .description(
      'Shows resources and their children: whether they are up to date and ready, and who changed them last. Use plan to see what the next run would do.',
    )
    .addOption(outputOption(['table']))
    .addHelpText('after', example('status', 'status KIND', 'status KIND NAME -n team-a -o json'))
    .action((words: readonly string[], options: StatusOptions) =>
      operate(
        options,
        async (operator) => {
          const { kinds, namespaces, concurrency } = operator.config;
          const scope = scopeFrom(operator, options, words);
          const area = areaOf(scope, { kinds, namespaces });
          const found = await inspect(await operator.begin(), area, { concurrency });
          const resources = found.resources.map(statusViewOf);
          printOutput(terminal.out, options.output, {
            data: resources,
            table: () => statusTable(resources, terminal),
          });
          printLines(terminal.err, found.failures);
          if (found.failures.length > 0) return exitCodes.failed;
          await requireFound(operator, scope, resources.length);
          return exitCodes.done;
        },
        beforeReading(options),
      ),
    );
}

const head = ['RESOURCE', 'STATE', 'READY', 'CHANGED', 'BY', 'MESSAGE'];

function statusTable(resources: readonly ResourceStatusView[], { out, env, now }: Terminal) {
  if (resources.length === 0) return ['No resources.'];
  const paint = paintFor(out, env);
  return columns(
    head,
    resources.flatMap((one) => rowsOf(one, paint, now())),
    out,
  );
}

function rowsOf(
  resource: ResourceStatusView,
  paint: Paint,
  now: Date,
): readonly (readonly Text[])[] {
  const { ready, changed, children, sync } = resource;
  return [
    [
      paint('bold', titleOf(resource)),
      stateOf(sync, paint),
      colourOf(ready, paint),
      ageOf(changed, now),
      '',
      messagesOf(resource).join('\n'),
    ],
    ...children.map((child) => [
      `  ${titleOf(child)}`,
      stateOf(child.sync, paint),
      colourOf(child.state, paint),
      ageOf(child.changed?.time, now),
      child.changed?.manager ?? child.sync.by ?? '',
      child.sync.message ?? child.message ?? '',
    ]),
  ];
}

/** What the condition says that all is well is not repeated where the plan knows better. */
function messagesOf({ ready, reason, message, sync }: ResourceStatusView): readonly string[] {
  const isOutdated = sync.state !== 'InSync' && ready === 'True';
  const isSaid = sync.message?.includes(message);
  return [
    ...(sync.message === undefined ? [] : [[sync.reason, sync.message].filter(Boolean).join(': ')]),
    ...(isOutdated || isSaid ? [] : [`${reason}: ${message}`]),
  ];
}

const waits: readonly string[] = ['Progressing', 'Deleting', 'Suspended', 'Unwanted', 'Drifted'];

function stateOf({ state }: SyncState, paint: Paint): Text {
  if (state === 'InSync') return paint('green', state);
  return paint(waits.includes(state) ? 'yellow' : 'red', state);
}

function colourOf(state: string, paint: Paint): Text {
  if (state === 'True' || state === 'Current') return paint('green', state);
  return paint(state === 'Failed' || state === 'Absent' ? 'red' : 'yellow', state);
}
