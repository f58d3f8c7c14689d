import type { Command } from 'commander';
import pMap from 'p-map';
import { present } from '../../../shared/json.ts';
import { groupResource, titleOf } from '../../../shared/kubernetes.ts';
import { readyOf } from '../../../shared/plan/observed/conditions.ts';
import { type Area, areaOf } from '../../../shared/run/area.ts';
import { type Inspected, type Inspection, inspect } from '../../actions/inspect.ts';
import { type ChildSync, deletionOf, type SyncState } from '../../actions/sync-state.ts';
import { levels } from '../../actions/sync-states.ts';
import { type Cli, example } from '../base/cli.ts';
import { exitCodes } from '../base/command-errors.ts';
import { probeFor } from '../base/probe.ts';
import {
  type ResourceOptions,
  requestFrom,
  requireFound,
  withResource,
} from '../base/request-options.ts';
import type { Session } from '../base/session.ts';
import { heldResources } from '../doctor/deletions.ts';
import { removedKinds } from '../doctor/removed-kinds.ts';
import { ageText } from '../output/age.ts';
import {
  type Line,
  outputOption,
  paint,
  printLines,
  printOutput,
  type Row,
  type Text,
  table,
} from '../output/print.ts';

export function addStatus(program: Command, { onCluster, terminal }: Cli): void {
  withResource(program.command('status'))
    .summary('show resources and their children: state, readiness and last change')
    .description(
      'Shows resources and their children: whether they are up to date and ready, and who last changed each child. Use plan to see what the next run would do.',
    )
    .addOption(outputOption(['table']))
    .addHelpText('after', example('status', 'status KIND', 'status KIND NAME -n team-a -o json'))
    .action((words: readonly string[], options: ResourceOptions<'table'>) =>
      onCluster(options, async (session) => {
        const { kinds, namespaces, concurrency } = session.config;
        const request = requestFrom(session, options, words);
        const area = areaOf(request, { kinds, namespaces });
        const found = await inspect(await session.begin(), area, { concurrency });
        const orphaned = request.kind === undefined ? await orphanedIn(session, area) : undefined;
        const resources = [...found.resources, ...(orphaned?.resources ?? [])].map(statusViewOf);
        const failures = [...found.failures, ...(orphaned?.failures ?? [])];
        printOutput(terminal, options.output, {
          data: { resources, failures },
          table: () => {
            const isUnknown = resources.length === 0 && found.failures.length > 0;
            return isUnknown ? [] : statusTable(resources, terminal.now());
          },
        });
        printLines(terminal.err, failures);
        if (found.failures.length > 0) return exitCodes.failed;
        await requireFound(session, request, resources.length);
        return exitCodes.done;
      }),
    );
}

/** Finds resources of removed kinds that wait for their clean-up. Returns a line for each kind that cannot be listed. */
async function orphanedIn(
  { credentials, config: { kinds, identity } }: Session,
  { namespaces }: Area,
): Promise<Inspection> {
  const probe = probeFor(credentials);
  const found = await pMap(
    await removedKinds(probe, kinds),
    async (kind) => ({ kind, ...(await heldResources({ probe, identity, namespaces }, kind)) }),
    { concurrency: 4 },
  );
  return {
    resources: found.flatMap(({ kind, held }) =>
      held.map((resource) => ({ kind, resource, sync: deletionOf(resource), children: [] })),
    ),
    failures: found.flatMap(({ kind, unread }) =>
      unread === undefined ? [] : [`${groupResource(kind)} could not be listed: ${unread}`],
    ),
  };
}

export type ResourceStatusView = ReturnType<typeof statusViewOf>;

function statusViewOf({ kind, resource, sync, children }: Inspected) {
  const { name, namespace, generation, status } = resource;
  const ready = readyOf(resource);
  const state = stateIn(resource);
  const { observedGeneration, lastApplied } = status;
  const until = state === undefined ? lastApplied?.until : undefined;
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
    ...present({ state, changed: ready?.lastTransitionTime, until }),
    children: children.map(childStatusOf),
  };
}

function stateIn({ deleting, suspended, observeOnly }: Inspected['resource']) {
  if (deleting) return 'being deleted';
  if (suspended) return 'suspended';
  return observeOnly ? 'only observed' : undefined;
}

function childStatusOf({ child, sync, health, changed }: ChildSync) {
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

function statusTable(resources: readonly ResourceStatusView[], now: Date): readonly Text[] {
  const rows = resources.flatMap((one) => rowsOf(one, now));
  return rows.length === 0 ? ['No resources.'] : table(head, rows);
}

function rowsOf(resource: ResourceStatusView, now: Date): readonly Row[] {
  const { ready, changed, children, sync } = resource;
  return [
    [
      paint('bold', titleOf(resource)),
      stateOf(sync),
      colourOf(ready),
      ageText(changed, now),
      '',
      messagesOf(resource).join('\n'),
    ],
    ...children.map((child) => [
      `  ${titleOf(child)}`,
      stateOf(child.sync),
      colourOf(child.state),
      ageText(child.changed?.time, now),
      child.changed?.manager ?? child.sync.by ?? '',
      child.sync.message ?? child.message ?? '',
    ]),
  ];
}

/** Omits the message of the Ready condition if it is out of date or repeats the sync message. */
function messagesOf(resource: ResourceStatusView): readonly string[] {
  const { ready, reason, message, sync, until } = resource;
  const isOutdated = sync.state !== 'InSync' && ready === 'True';
  const isSaid = sync.message?.includes(message);
  return [
    ...(sync.message === undefined ? [] : [[sync.reason, sync.message].filter(Boolean).join(': ')]),
    ...(isOutdated || isSaid ? [] : [`${reason}: ${message}`]),
    ...(until === undefined ? [] : [`its children may change at ${until}`]),
  ];
}

const colours = {
  good: 'green',
  idle: 'yellow',
  busy: 'yellow',
  warn: 'yellow',
  bad: 'red',
} as const;

const stateOf = ({ state }: SyncState): Line => paint(colours[levels[state]], state);

function colourOf(state: string): Line {
  if (state === 'True' || state === 'Current') return paint('green', state);
  return paint(state === 'Failed' || state === 'Absent' ? 'red' : 'yellow', state);
}
