import { isConflict, isInvalid, isTransient } from '../cluster/errors.ts';
import { fieldManager, handOverManager } from '../kinds/names.ts';
import type { JsonObject, KubeObject } from '../kubernetes.ts';
import { consolidated, overlapsLegacy } from '../plan/legacy.ts';
import { observeChild } from '../plan/observed.ts';
import type { Outcome } from '../plan/outcome.ts';
import { takeOutPartners } from '../plan/partners.ts';
import { type Decision, keyOf } from '../plan/plan.ts';
import { explain } from './refusal.ts';
import type { Run } from './run.ts';
import { StaleError } from './stale.ts';
import { lookAtResource, type View } from './view.ts';

export interface Performance {
  view: View;
  /** What was done so far, by child: earlier tries of the same resource included. */
  readonly outcomes: Map<string, Outcome>;
  /** Something was written, or may have been, its answer lost. */
  wrote: boolean;
}

/** Executes one decision as it stands. Throws a StaleError on a conflict; any other failure is an outcome. */
export async function perform(
  run: Run,
  performance: Performance,
  decision: Decision,
): Promise<void> {
  const { view, outcomes } = performance;
  const { child } = decision;
  const key = keyOf(child);
  try {
    const outcome = await act(run, performance, decision);
    if (outcome.result !== 'unchanged' || !outcomes.has(key)) outcomes.set(key, outcome);
  } catch (error) {
    if (isConflict(error))
      throw new StaleError(
        `${decision.verb} ${child.kind} ${view.resource.namespace}/${child.name}`,
        decision,
      );
    if (isInvalid(error) && (await removePartners(run, performance, decision))) {
      throw new StaleError(
        `update ${child.kind} ${view.resource.namespace}/${child.name}`,
        decision,
      );
    }
    performance.wrote ||= isTransient(error);
    const failure = await explain(run, decision.type, error);
    outcomes.set(key, { child, result: 'failed', ...failure });
  }
}

export const isWrite = ({ result }: Outcome): boolean =>
  result === 'created' || result === 'updated' || result === 'deleted';

async function act(run: Run, performance: Performance, decision: Decision): Promise<Outcome> {
  const { child } = decision;
  switch (decision.verb) {
    case 'none':
      return { child, result: 'unchanged' };
    case 'wait':
    case 'defer':
      return { child, result: 'skipped', reason: decision.reason, message: decision.message };
    case 'block':
      return { child, result: 'blocked', reason: decision.reason, message: decision.message };
    case 'create': {
      const live = await run.cluster.apply(decision.type, decision.manifest, {
        manager: fieldManager,
      });
      return { child, result: 'created', lost: decision.lost, version: keep(performance, live) };
    }
    case 'update': {
      const live = await update(run, decision);
      performance.wrote = true;
      const settled = overlapsLegacy(live) ? await consolidate(run, decision, live) : live;
      return {
        child,
        result: 'updated',
        differences: decision.differences,
        version: keep(performance, settled),
      };
    }
    case 'consolidate': {
      const key = { namespace: performance.view.resource.namespace, name: child.name };
      const live = await run.cluster.get(decision.type, key);
      if (live?.metadata.resourceVersion !== decision.resourceVersion)
        throw new StaleError(`read ${child.kind} ${key.name}`);
      return {
        child,
        result: 'updated',
        differences: [],
        version: keep(performance, await consolidate(run, decision, live)),
      };
    }
    case 'delete':
      return remove(run, performance, decision);
  }
}

function keep(performance: Performance, live: KubeObject): string {
  performance.wrote = true;
  const observed = observeChild(live);
  performance.view.children.set(keyOf(observed), observed);
  performance.view.absent.delete(keyOf(observed));
  return `${observed.uid}/${observed.resourceVersion}`;
}

/** With fields to hand over, two applies: the second manager takes the live values before ours drops them. */
async function update(
  run: Run,
  { type, manifest, handOver }: Extract<Decision, { verb: 'update' }>,
): Promise<KubeObject> {
  if (handOver === undefined) return run.cluster.apply(type, manifest, { manager: fieldManager });
  const held = await run.cluster.apply(type, handOver, { manager: handOverManager });
  const { resourceVersion } = held.metadata;
  const next = { ...manifest, metadata: { ...manifest.metadata, resourceVersion } };
  return run.cluster.apply(type, next, { manager: fieldManager });
}

/** One locked patch of managedFields and nothing else. */
function consolidate(run: Run, { type }: Decision, live: KubeObject): Promise<KubeObject> {
  const { name, namespace = '', resourceVersion } = live.metadata;
  const operations = [
    { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion },
    {
      op: 'replace',
      path: '/metadata/managedFields',
      value: consolidated(live) as unknown as JsonObject[],
    },
  ];
  return run.cluster.patch(type, { namespace, name }, { operations, manager: fieldManager });
}

async function removePartners(
  run: Run,
  { view }: Performance,
  decision: Decision,
): Promise<boolean> {
  if (decision.verb !== 'update') return false;
  const key = { namespace: view.resource.namespace, name: decision.child.name };
  const live = await run.cluster.get(decision.type, key);
  if (live?.metadata.uid !== decision.uid) return true;
  const operations = takeOutPartners(decision.manifest, live);
  if (operations.length === 0) return false;
  await run.cluster.patch(decision.type, key, { operations, manager: fieldManager });
  return true;
}

/**
 * Flow: look at the resource once more, then delete with the child's uid and version.
 * Guarantees: no deletion by a plan for another generation, none of an object that changed.
 * Caveats: a deletion in the instant between the look and the DELETE stays possible; the commit
 * that ends this resource's run finds it and plans again.
 */
async function remove(
  run: Run,
  performance: Performance,
  decision: Extract<Decision, { verb: 'delete' }>,
): Promise<Outcome> {
  const { view } = performance;
  const { child, type, uid, resourceVersion } = decision;
  const { namespace } = view.resource;
  const fresh = await lookAtResource(run, view);
  if (
    fresh?.uid !== view.resource.uid ||
    fresh.generation !== view.resource.generation ||
    fresh.deleting
  ) {
    throw new StaleError(`delete ${child.kind} ${namespace}/${child.name}`);
  }
  const left = await run.cluster.remove(
    type,
    { namespace, name: child.name },
    { uid, resourceVersion },
  );
  performance.wrote = true;
  if (left !== undefined) {
    keep(performance, left);
    return {
      child,
      result: 'skipped',
      reason: 'ChildDeleting',
      message: `${child.kind} ${child.name} is being deleted`,
    };
  }
  view.children.delete(keyOf(child));
  view.absent.add(keyOf(child));
  return { child, result: 'deleted' };
}
