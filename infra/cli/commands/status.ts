import type { Command } from 'commander';
import { present } from '../../../shared/json.ts';
import { titleOf } from '../../../shared/kubernetes.ts';
import { readyOf } from '../../../shared/plan/observed/conditions.ts';
import { areaOf } from '../../../shared/run/area.ts';
import { type Inspected, inspect } from '../../actions/inspect.ts';
import type { ChildSync, SyncState } from '../../actions/sync-state.ts';
import { levels } from '../../actions/sync-states.ts';
import type { KubeOptions } from '../base/choose-context.ts';
import { beforeReading, type Cli, withCluster } from '../base/cli.ts';
import { exitCodes } from '../base/command-errors.ts';
import { example } from '../base/command-text.ts';
import {
  type ReconcileRequestOptions,
  requestFrom,
  requireFound,
  withResource,
} from '../base/request-options.ts';
import type { Terminal } from '../base/terminal.ts';
import { ageText } from '../output/age.ts';
import { columns } from '../output/columns.ts';
import { type OutputFormat, outputOption, printOutput } from '../output/format.ts';
import { type Paint, paintFor, printLines, type Text } from '../output/text.ts';

interface StatusOptions extends KubeOptions, ReconcileRequestOptions {
  readonly output: OutputFormat<'table'>;
}

export function addStatus(program: Command, { onCluster, terminal }: Cli): void {
  withCluster(withResource(program.command('status')))
    .summary('show resources and their children: state, readiness and last change')
    .description(
      'Shows resources and their children: whether they are up to date and ready, and who changed them last. Use plan to see what the next run would do.',
    )
    .addOption(outputOption(['table']))
    .addHelpText('after', example('status', 'status KIND', 'status KIND NAME -n team-a -o json'))
    .action((words: readonly string[], options: StatusOptions) =>
      onCluster(
        options,
        async (session) => {
          const { kinds, namespaces, concurrency } = session.config;
          const request = requestFrom(session, options, words);
          const area = areaOf(request, { kinds, namespaces });
          const found = await inspect(await session.begin(), area, { concurrency });
          const resources = found.resources.map(statusViewOf);
          printOutput(terminal.out, options.output, {
            data: resources,
            table: () => statusTable(resources, terminal),
          });
          printLines(terminal.err, found.failures);
          if (found.failures.length > 0) return exitCodes.failed;
          await requireFound(session, request, resources.length);
          return exitCodes.done;
        },
        beforeReading(options),
      ),
    );
}

/** The state of one resource, from its own status, its children and a plan. */
export interface ResourceStatusView {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly generation: number;
  readonly observedGeneration?: number;
  readonly sync: SyncState;
  /** The status of the Ready condition; Unknown before the first run. */
  readonly ready: string;
  readonly reason: string;
  readonly message: string;
  /** Why no run changes the resource. */
  readonly state?: 'being deleted' | 'suspended' | 'only observed';
  /** The time at which Ready last changed. */
  readonly changed?: string;
  readonly children: readonly ChildStatus[];
}

interface ChildStatus {
  readonly kind: string;
  readonly name: string;
  /** Present only on a child of a cluster-scoped resource. */
  readonly namespace?: string;
  readonly sync: SyncState;
  /** The health of the object; Absent if it does not exist, or is not ours. */
  readonly state: 'Current' | 'InProgress' | 'Failed' | 'Deleting' | 'Unwanted' | 'Absent';
  readonly message?: string;
  /** The latest change of any field but the status; absent if managedFields have no time for it. */
  readonly changed?: { readonly manager: string; readonly time: string };
}

function statusViewOf({ kind, resource, sync, children }: Inspected): ResourceStatusView {
  const { name, namespace, generation, status } = resource;
  const ready = readyOf(resource);
  const state = stateIn(resource);
  const { observedGeneration } = status;
  return {
    kind: kind.kind,
    namespace,
    name,
    generation,
    ...present({ observedGeneration }),
    sync,
    ready: ready?.status ?? 'Unknown',
    reason: ready?.reason ?? 'NotReconciled',
    message: ready?.message ?? 'no run has reconciled it yet',
    ...present({ state, changed: ready?.lastTransitionTime }),
    children: children.map(childStatusOf),
  };
}

function stateIn({ deleting, suspended, observed }: Inspected['resource']) {
  if (deleting) return 'being deleted';
  if (suspended) return 'suspended';
  return observed ? 'only observed' : undefined;
}

function childStatusOf({ child, sync, health, changed }: ChildSync): ChildStatus {
  const { kind, name, namespace } = child;
  const isUnwanted = sync.state === 'Unwanted';
  return {
    kind,
    name,
    ...present({ namespace }),
    sync,
    state: isUnwanted ? 'Unwanted' : health.state,
    ...present({ message: health.message, changed }),
  };
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
      ageText(changed, now),
      '',
      messagesOf(resource).join('\n'),
    ],
    ...children.map((child) => [
      `  ${titleOf(child)}`,
      stateOf(child.sync, paint),
      colourOf(child.state, paint),
      ageText(child.changed?.time, now),
      child.changed?.manager ?? child.sync.by ?? '',
      child.sync.message ?? child.message ?? '',
    ]),
  ];
}

/** Leaves out a Ready message that the plan contradicts. */
function messagesOf({ ready, reason, message, sync }: ResourceStatusView): readonly string[] {
  const isOutdated = sync.state !== 'InSync' && ready === 'True';
  const isSaid = sync.message?.includes(message);
  return [
    ...(sync.message === undefined ? [] : [[sync.reason, sync.message].filter(Boolean).join(': ')]),
    ...(isOutdated || isSaid ? [] : [`${reason}: ${message}`]),
  ];
}

const colours = {
  good: 'green',
  idle: 'yellow',
  busy: 'yellow',
  warn: 'yellow',
  bad: 'red',
} as const;

const stateOf = ({ state }: SyncState, paint: Paint): Text => paint(colours[levels[state]], state);

function colourOf(state: string, paint: Paint): Text {
  if (state === 'True' || state === 'Current') return paint('green', state);
  return paint(state === 'Failed' || state === 'Absent' ? 'red' : 'yellow', state);
}
