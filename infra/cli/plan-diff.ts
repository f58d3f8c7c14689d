import { type Json, titleOf } from '../../shared/kubernetes.ts';
import { type Difference, isOwnershipOnly } from '../../shared/plan/drift.ts';
import { namespaceOf } from '../../shared/plan/world.ts';
import type { Action } from '../../shared/reconcile/planned-resource.ts';
import type { Preview } from '../../shared/reconcile/preview.ts';
import { changeOf, readsText, timeOf } from './plan-table.ts';
import type { Text } from './print.ts';
import type { Paint } from './terminal.ts';

/** A plan as a difference between what is and what will be, field by field; deletions first. */
export function planDiff({ resources }: Preview, paint: Paint): readonly Text[] {
  const all = resources.flatMap(({ actions, ...resource }) =>
    actions.map((action) => ({ action, resource, owner: titleOf(resource) })),
  );
  const isDeletion = ({ action }: (typeof all)[number]): boolean => action.verb === 'delete';
  const reading = resources.flatMap(({ reads, ...resource }) =>
    reads === undefined ? [] : [`# ${titleOf(resource)} reads ${readsText(reads)}`],
  );
  const actions = [...all.filter(isDeletion), ...all.filter((one) => !isDeletion(one))].flatMap(
    ({ action, resource, owner }) => {
      const namespace = namespaceOf(resource, action.child);
      const object = titleOf({ ...action.child, namespace });
      return [...headOf(action, { object, owner, paint }), ...linesOf(action, paint)];
    },
  );
  return [...reading, ...actions];
}

interface Head {
  readonly object: string;
  readonly owner: string;
  readonly paint: Paint;
}

function headOf(action: Action, { object, owner, paint }: Head): readonly Text[] {
  if (action.reason !== undefined) return [`# ${action.verb} ${object}, of ${owner}`];
  const version =
    action.resourceVersion === undefined ? '' : ` (version ${action.resourceVersion})`;
  const before = action.verb === 'create' ? 'nothing' : `${object}${version}`;
  const after = action.verb === 'delete' ? 'nothing' : `${object}, of ${owner}`;
  return [paint('bold', `--- ${before}`), paint('bold', `+++ ${after}`)];
}

const linesOf = (action: Action, paint: Paint): readonly Text[] =>
  action.reason === undefined && action.differences.length > 0
    ? action.differences.flatMap((one) => diffLines(one, paint))
    : changeOf(action).map((line) => `# ${line}`);

function diffLines(difference: Difference, paint: Paint): readonly Text[] {
  const { path, from, to, writer } = difference;
  const by = writer === undefined ? '' : `  # by ${writer.manager}${timeOf(writer)}`;
  if (isOwnershipOnly(difference))
    return [`  ${path}${from === undefined ? '' : shown(from)}${by}`];
  return [
    ...(from === undefined ? [] : [paint('red', `- ${path}${shown(from)}${by}`)]),
    ...(to === undefined ? [] : [paint('green', `+ ${path}${shown(to)}`)]),
  ];
}

const shown = (value: Json): string => `: ${JSON.stringify(value)}`;
