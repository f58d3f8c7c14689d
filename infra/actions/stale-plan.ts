import { canonicalJson } from '../../shared/canonical.ts';
import { type Json, type Titled, titleOf } from '../../shared/kubernetes.ts';
import { keyOf } from '../../shared/plan/world.ts';
import type { Action, PlannedResource } from '../../shared/reconcile/planned-resource.ts';
import type { Preview } from '../../shared/reconcile/preview.ts';
import type { StoredAction, StoredPreview, StoredResource } from '../cli/plan/plan-file.ts';

/** Why a plan cannot be applied: every difference from a fresh one, as text. */
export function describeStaleness(plan: StoredPreview, now: Preview): readonly string[] {
  const before = new Map(plan.resources.map((one) => [titleOf(one), one]));
  const after = new Map(now.resources.map((one) => [titleOf(one), one]));
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const moved = names.flatMap((name) => resourceChanges(name, before.get(name), after.get(name)));
  const permission = plan.pruning === now.pruning ? [] : [`deletions: ${now.pruning}`];
  const seen = same(plan.incomplete, now.incomplete) ? [] : ['which kinds could be read'];
  return [...moved, ...permission, ...seen];
}

const same = (a: unknown, b: unknown): boolean =>
  canonicalJson(a as Json) === canonicalJson(b as Json);

function resourceChanges(
  name: string,
  before: StoredResource | undefined,
  after: PlannedResource | undefined,
): readonly string[] {
  if (after === undefined) return [`${name} needs no change any more`];
  if (before === undefined) return [`${name} needs a change that was not planned`];
  if (same(before, after)) return [];
  const self = objectChanges(name, before, after);
  const actions = actionChanges(after, before.actions, after.actions);
  const moved = [...self, ...readChanges(before, after), ...actions];
  return moved.length > 0 ? moved : [`${name} is planned differently with this configuration`];
}

interface Version {
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
}

function objectChanges(name: string, before: Version, after: Version): readonly string[] {
  if (before.uid !== after.uid) return [`${name} is a different object now`];
  if (before.generation !== after.generation)
    return [`${name} was edited (generation ${before.generation} → ${after.generation})`];
  return before.resourceVersion === after.resourceVersion
    ? []
    : [`${name} changed (version ${before.resourceVersion} → ${after.resourceVersion})`];
}

/** What the resource refers to, in another version or state. */
function readChanges(
  { reads: before = [] }: StoredResource,
  { reads: after = [], namespace }: PlannedResource,
): readonly string[] {
  const planned = new Map(before.map((one) => [keyOf(one), one]));
  return after
    .filter((one) => !same(planned.get(keyOf(one)), one))
    .map((one) => `${titleOf({ namespace, ...one })}, which is read, changed`);
}

function actionChanges(
  resource: PlannedResource,
  before: readonly StoredAction[],
  after: readonly Action[],
): readonly string[] {
  const planned = new Map(before.map((one) => [keyOf(one.child), one]));
  const fresh = new Map(after.map((one) => [keyOf(one.child), one]));
  return [...new Set([...planned.keys(), ...fresh.keys()])].flatMap((key) => {
    const [then, now] = [planned.get(key), fresh.get(key)];
    if (same(then, now)) return [];
    const child: Titled = (now ?? then)?.child ?? { kind: '', name: '' };
    const object = titleOf({ ...child, namespace: child.namespace ?? resource.namespace });
    if (now === undefined) return [`${object} needs no change any more`];
    if (then === undefined)
      return [`${object} would be written (${now.verb}), which was not planned`];
    const moved = objectChanges(object, then, now);
    return moved.length > 0
      ? moved
      : [`${object}: ${then.verb} was planned, now it is ${now.verb}`];
  });
}
