import { present } from '../json.ts';
import { keyOf } from '../kubernetes.ts';
import { appliedTo, recordFor } from '../plan/decision/apply-records.ts';
import {
  type Create,
  type Decision,
  fieldsToApply,
  isWriteDecision,
  postponedIn,
} from '../plan/decision/decision.ts';
import { originOf } from '../plan/decision/origin.ts';
import { addOutcome, expectedOutcome, type Outcome } from '../plan/decision/outcome.ts';
import type { Applied } from '../plan/observed/applied.ts';
import { manifestOf } from '../plan/observed/apply-manifest.ts';
import { type ObservedChild, observeChild } from '../plan/observed/observed.ts';
import type { World } from '../plan/observed/world.ts';
import type { CompletePlan } from '../plan/plan.ts';
import { type Prune, schedule } from '../plan/schedule.ts';

export function forecast(
  planned: CompletePlan,
  world: World,
  { known, prune }: { readonly known: ReadonlyMap<string, Outcome>; readonly prune: Prune },
) {
  const outcomes = new Map(known);
  const children = new Map(world.children);
  const applied = new Map(world.applied);
  const absent = new Set(world.absent);
  const decisions: Decision[] = [];
  for (const decision of schedule(planned, outcomes, prune)) {
    const key = keyOf(decision.child);
    decisions.push(decision);
    const origin = isWriteDecision(decision) ? originOf(decision, world) : undefined;
    addOutcome(outcomes, { ...expectedOutcome(decision), ...present({ origin }) });
    if (decision.verb === 'delete') {
      children.delete(key);
      absent.add(key);
    }
    if (decision.verb !== 'create' && decision.verb !== 'update') continue;
    const isPostponed = postponedIn(decision) !== undefined;
    const updated = isPostponed ? undefined : world.asked.get(key)?.after;
    const after = decision.verb === 'create' ? newChild(decision, world) : updated;
    if (after !== undefined) children.set(key, after);
    const before = appliedTo(world, world.children.get(key));
    const how = { generation: world.resource.generation, before };
    applied.set(key, (after && recordFor(after, decision.fields, how)) ?? unknownRecord);
  }
  return { outcomes, decisions, world: { ...world, children, applied, absent } };
}

/** Lacks the server's defaults and a status. */
function newChild(decision: Create, { identity, resource }: World): ObservedChild {
  const fields = fieldsToApply(decision);
  const { metadata, ...rest } = manifestOf(decision, fields, 'absent');
  const made = { uid: '', resourceVersion: '', creationTimestamp: '', generation: 1 };
  const live = { ...rest, metadata: { ...metadata, ...made } };
  return observeChild(decision.type, live, { identity, from: resource.namespace });
}

/** Stands in for a record that depends on the server's response. */
const unknownRecord: Applied = { uid: '', generation: 0, desired: '', stored: '' };
