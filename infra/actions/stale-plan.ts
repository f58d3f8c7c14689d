import { type Static, Type } from 'typebox';
import { isSameJson } from '../../shared/canonical.ts';
import { keyOf, type Titled, titleOf } from '../../shared/kubernetes.ts';
import type { Action, PlannedResource } from '../../shared/preview/planned-resource.ts';
import type { Preview } from '../../shared/preview/preview.ts';
import { incompleteProblems, problemLines } from './wording.ts';

const child = Type.Object({
  apiVersion: Type.String(),
  kind: Type.String(),
  name: Type.String(),
  namespace: Type.Optional(Type.String()),
});

const action = Type.Object({
  verb: Type.String(),
  child,
  uid: Type.Optional(Type.String()),
  resourceVersion: Type.Optional(Type.String()),
});

const read = Type.Object({
  kind: Type.String(),
  apiVersion: Type.String(),
  name: Type.String(),
  resourceVersion: Type.Optional(Type.String()),
});

const resource = Type.Object({
  kind: Type.String(),
  resource: Type.String(),
  namespace: Type.String(),
  name: Type.String(),
  uid: Type.String(),
  generation: Type.Integer(),
  resourceVersion: Type.String(),
  reads: Type.Optional(Type.Array(read)),
  actions: Type.Array(action),
});

/** Omits some fields of a resource. If only these differ, `describeStaleness` does not say what has changed. */
export const storedPreviewSchema = Type.Object({
  pruning: Type.String(),
  incomplete: Type.Array(Type.Object({ kind: Type.String() })),
  resources: Type.Array(resource),
});

type StoredAction = Static<typeof action>;
type StoredResource = Static<typeof resource>;
export type StoredPreview = Static<typeof storedPreviewSchema>;

/** Converts a plan to JSON and back, so that it equals a plan that was read from a file. */
export const storedPreview = (preview: Preview): StoredPreview =>
  JSON.parse(JSON.stringify(preview));

/** Empty if the stored plan can be applied. */
export function describeStaleness(plan: StoredPreview, now: Preview): readonly string[] {
  if (!isSameJson(plan.incomplete, now.incomplete)) return unreadNow(now);
  const before = new Map(plan.resources.map((one) => [titleOf(one), one]));
  const after = new Map(now.resources.map((one) => [titleOf(one), one]));
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const changes = names.flatMap((name) => resourceChanges(name, before.get(name), after.get(name)));
  const permission = plan.pruning === now.pruning ? [] : [`deletions: ${now.pruning}`];
  return [...changes, ...permission];
}

/** Reports only what could not be read, because it is unknown whether such a resource still needs a change. */
const unreadNow = ({ incomplete }: Preview): readonly string[] =>
  incomplete.length === 0
    ? ['the plan was incomplete, but now everything can be read']
    : problemLines(incompleteProblems(incomplete), ' could not be planned');

function resourceChanges(
  name: string,
  before: StoredResource | undefined,
  after: PlannedResource | undefined,
): readonly string[] {
  if (after === undefined) return [`${name} no longer needs a change`];
  if (before === undefined) return [`${name} needs a change that was not planned`];
  if (isSameJson(before, after)) return [];
  const self = objectChanges(name, before, after);
  const actions = actionChanges(after, before.actions, after.actions);
  const changes = [...self, ...readChanges(before, after), ...actions];
  return changes.length > 0 ? changes : [`${name} is planned differently with this configuration`];
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

function readChanges(
  { reads: before = [] }: StoredResource,
  { reads: after = [], namespace }: PlannedResource,
): readonly string[] {
  const planned = new Map(before.map((one) => [keyOf(one), one]));
  return after
    .filter((one) => !isSameJson(planned.get(keyOf(one)), one))
    .map((one) => `${titleOf({ namespace, ...one })}, which the resource reads, has changed`);
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
    if (isSameJson(then, now)) return [];
    const child: Titled = (now ?? then)?.child ?? { kind: '', name: '' };
    const object = titleOf({ ...child, namespace: child.namespace ?? resource.namespace });
    if (now === undefined) return [`${object} no longer needs a change`];
    if (then === undefined) return [`${object}: ${now.verb} was not planned`];
    // Decisions that write nothing have no uid and no version to compare.
    const changes = then.verb === now.verb ? objectChanges(object, then, now) : [];
    return changes.length > 0
      ? changes
      : [`${object}: ${then.verb} was planned, now it is ${now.verb}`];
  });
}
