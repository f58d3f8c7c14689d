import { titleOf } from '../../../shared/kubernetes.ts';
import { type Difference, isOwnershipOnly } from '../../../shared/plan/drift/differences.ts';
import { changeText } from '../../../shared/plan/status/kubernetes-events.ts';
import type { Action, PlannedResource } from '../../../shared/preview/planned-resource.ts';
import type { Preview } from '../../../shared/preview/preview.ts';
import { effectText, impactTotals } from '../../actions/impact-text.ts';
import { counted } from '../../actions/wording.ts';
import { type Line, paint, type Row, type Text, table } from '../output/print.ts';

export function planTable(preview: Preview): readonly Text[] {
  const rows = [
    ...deletionsFirst(preview).map(({ action, resource }) => [
      colourOf(action.verb),
      titleOf(action.child),
      titleOf(resource),
      [...changeOf(action), ...effectLine(action)].join('\n'),
    ]),
    ...preview.resources.flatMap(readsLineOf),
    ...preview.resources.flatMap(statusLinesOf),
  ];
  const summary = planSummary(preview);
  return rows.length === 0
    ? summary
    : [...table(['ACTION', 'OBJECT', 'OF', 'CHANGE'], rows), '', ...summary];
}

export function deletionsFirst({ resources }: Pick<Preview, 'resources'>) {
  const all = resources.flatMap(({ actions, ...resource }) =>
    actions.map((action) => ({ action, resource })),
  );
  const isDeletion = ({ action }: (typeof all)[number]): boolean => action.verb === 'delete';
  return [...all.filter(isDeletion), ...all.filter((one) => !isDeletion(one))];
}

const colours = {
  create: 'green',
  update: 'yellow',
  delete: 'red',
  block: 'magenta',
  failed: 'magenta',
} as const;

const colourOf = (word: string): Line =>
  Object.hasOwn(colours, word) ? paint(colours[word as keyof typeof colours], word) : word;

export function changeOf({
  verb,
  adopts,
  recreates,
  differences,
  later,
  reason,
  message,
}: Action): readonly string[] {
  const laterLines = later?.differences.map((one) => `later: ${changeText(one)}`) ?? [];
  const changes = [...changeLines(differences), ...laterLines];
  if (reason !== undefined) return [`${reason}: ${message}`, ...changes];
  if (verb === 'create') return [counted(differences.length, 'field')];
  if (verb === 'delete') return ['no longer desired'];
  if (verb === 'release') return ['kept: loses its owner reference'];
  if (adopts) {
    const edited = differences.filter((one) => !isOwnershipOnly(one));
    const others = edited.filter(({ path }) => !path.startsWith('metadata.ownerReferences'));
    return ['adopted', ...others.map(changeText)];
  }
  if (verb === 'consolidate') return ['legacy managedFields entries are consolidated'];
  if (differences.length === 0) return [`unknown: ${message ?? 'no dry run'}`];
  return recreates ? ['deleted and created again', ...changes] : changes;
}

const mostTakenOver = 3;

/** Returns a line for each field, but only one for many fields that the same writer has merely taken over. */
function changeLines(differences: readonly Difference[]): readonly string[] {
  const lineOf = (one: Difference): string => `${changeText(one)}${timeOf(one.writer)}`;
  const isTaken = (one: Difference): boolean => one.to !== undefined && isOwnershipOnly(one);
  const groups = Map.groupBy(differences, (one) =>
    isTaken(one) ? lineOf(one).slice(one.path.length) : one,
  );
  return [...groups].flatMap(([how, all]) =>
    all.length > mostTakenOver ? `${all.length} fields${how}` : all.map(lineOf),
  );
}

const effectLine = (action: Action): readonly string[] =>
  [effectText(action)].filter((text) => text !== '').map((text) => `→ ${text}`);

export const timeOf = (writer: { readonly time: string | undefined } | undefined): string =>
  writer?.time === undefined ? '' : `, no later than ${writer.time}`;

const readsLineOf = ({ reads = [], ...resource }: PlannedResource): readonly Row[] =>
  reads.length === 0 ? [] : [['reads', titleOf(resource), '', readsText(reads)]];

/** `ConfigMap shop, Secret token (not found)` */
export const readsText = (reads: NonNullable<PlannedResource['reads']>): string =>
  reads
    .map((one) => `${titleOf(one)}${one.resourceVersion === undefined ? ' (not found)' : ''}`)
    .join(', ');

function statusLinesOf(resource: PlannedResource): readonly Row[] {
  const { state, message, finalizer, status, events } = resource;
  const posted = events.map((event) => `Event ${event.reason}: ${event.message}`);
  const held = finalizer && finalizerLabels[finalizer];
  const all = [message, held, status && statusText(status), ...posted];
  const lines = all.filter((line) => line !== undefined);
  if (lines.length === 0) return [];
  const word = state === 'planned' ? 'status' : state;
  return [[colourOf(word), titleOf(resource), '', lines.join('\n')]];
}

const finalizerLabels = { add: 'finalizer added', remove: 'finalizer removed' } as const;

/** Includes the message only for a Stalled resource: every other state is explained by the actions. */
function statusText(status: NonNullable<PlannedResource['status']>): string {
  if (!('reason' in status)) return status.state;
  const why = status.state === 'Stalled' ? `: ${status.message}` : '';
  return `${status.state} ${status.reason}${why}`;
}

const order = ['delete', 'release', 'withdraw', 'create', 'update', 'consolidate'];
const rankOf = (verb: string): number =>
  order.includes(verb) ? order.indexOf(verb) : order.length;

export function planSummary(preview: Preview): readonly string[] {
  const { resources, total, idle, incomplete, pruning, requests } = preview;
  const verbs = resources.flatMap(({ actions }) => actions.map(({ verb }) => verb));
  const counts = [...new Set(verbs)]
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .map((verb) => `${verbs.filter((other) => other === verb).length} to ${verb}`);
  const statuses = resources.filter(({ status }) => status !== undefined).length;
  const events = resources.flatMap((one) => one.events).length;
  const totals = impactTotals(preview);
  const parts = [
    ...counts,
    ...(statuses > 0 ? [`${counted(statuses, 'status', 'statuses')} to write`] : []),
    ...(events > 0 ? [`${counted(events, 'Event')} to post`] : []),
  ];
  const changes = `${parts.join(', ') || 'Nothing to write'}; ${resources.length} of ${counted(total, 'resource')}.`;
  return [
    ...(resources.length > 0 ? [changes] : incomplete.length > 0 ? [] : upToDate(total, idle)),
    ...notPlanned(idle),
    ...(totals.length === 0 ? [] : [`Impact: ${totals.join('; ')}.`]),
    ...(pruning === 'allowed' ? [] : [`Deletions are withheld: ${pruning}.`]),
    `Planning took ${counted(requests.taken, 'request')}; applying takes ${requests.toPerform} more.`,
  ];
}

function upToDate(total: number, { suspended, deleting }: Preview['idle']): readonly string[] {
  if (total === 0) return ['No resources found.'];
  const quiet = total - suspended - deleting;
  return quiet === 0 ? [] : [`Nothing to do: ${counted(quiet, 'resource')} up to date.`];
}

const notPlanned = ({ suspended, deleting }: Preview['idle']): readonly string[] => [
  ...(suspended === 0 ? [] : [`${counted(suspended, 'resource')} suspended, not planned.`]),
  ...(deleting === 0 ? [] : [`${counted(deleting, 'resource')} being deleted.`]),
];
