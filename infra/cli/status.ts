import type { Command } from 'commander';
import { titleOf } from '../../shared/kubernetes.ts';
import { areaOf } from '../../shared/reconcile/area.ts';
import { ageOf } from './age.ts';
import { type Cli, example, withCluster } from './cli.ts';
import { exitCodes } from './errors.ts';
import type { KubeOptions } from './kubeconfig.ts';
import { type OutputFormat, outputOption, printOutput } from './output.ts';
import { columns, printLines, type Text } from './print.ts';
import { type ResourceStatusView, readStatuses } from './resource-status.ts';
import { requireFound, type ScopeOptions, scopeFrom, withScope } from './scope.ts';
import { type Paint, paintFor, type Terminal } from './terminal.ts';

interface StatusOptions extends KubeOptions, ScopeOptions {
  readonly output: OutputFormat<'table'>;
}

export function addStatus(program: Command, { operate, terminal }: Cli): void {
  withCluster(withScope(program.command('status').argument('[name]', 'one resource of --kind')))
    .summary('show resources, their children, readiness and last change')
    .description(
      'Shows resources and their children: whether they are ready, and who changed them last. Use plan to see which children differ from what is wanted.',
    )
    .addOption(outputOption(['table']))
    .addHelpText('after', example('status', 'status --kind Website -n team-a shop -o json'))
    .action((name: string | undefined, options: StatusOptions) =>
      operate(options, async (operator) => {
        const { kinds, namespaces } = operator.config;
        const scope = scopeFrom(operator, options, name);
        const area = areaOf(scope, { kinds, namespaces });
        const { resources, failures } = await readStatuses(await operator.begin(), area);
        printOutput(terminal.out, options.output, {
          data: resources,
          table: () => statusTable(resources, terminal),
        });
        printLines(terminal.err, failures);
        if (failures.length > 0) return exitCodes.failed;
        await requireFound(operator, scope, resources.length);
        return exitCodes.done;
      }),
    );
}

const head = ['RESOURCE', 'READY', 'CHANGED', 'BY', 'MESSAGE'];

function statusTable(resources: readonly ResourceStatusView[], { out, env, now }: Terminal) {
  if (resources.length === 0) return ['No resources.'];
  const paint = paintFor(out, env);
  return columns(
    head,
    resources.flatMap((one) => rowsOf(one, paint, now())),
  );
}

function rowsOf(
  resource: ResourceStatusView,
  paint: Paint,
  now: Date,
): readonly (readonly Text[])[] {
  const { ready, reason, message, changed, children, state } = resource;
  const isBehind = resource.observedGeneration !== resource.generation;
  const behind = isBehind ? ['its latest generation has not been reconciled yet'] : [];
  return [
    [
      paint('bold', titleOf(resource)),
      colourOf(ready, paint),
      ageOf(changed, now),
      '',
      [...(state === undefined ? [] : [state]), `${reason}: ${message}`, ...behind].join('\n'),
    ],
    ...children.map((child) => [
      `  ${titleOf(child)}`,
      colourOf(child.state, paint),
      ageOf(child.changed?.time, now),
      child.changed?.manager ?? '',
      child.message ?? '',
    ]),
  ];
}

function colourOf(state: string, paint: Paint): Text {
  if (state === 'True' || state === 'Current') return paint('green', state);
  return paint(state === 'Failed' || state === 'Absent' ? 'red' : 'yellow', state);
}
