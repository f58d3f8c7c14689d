import { type JsonObject, numberAt, objectAt, objectsAt } from '../api-server/json/value.ts';
import { isSemanticallyEqual } from '../api-server/objects/equality.ts';
import { type KubeObject, timestamp } from '../api-server/objects/object.ts';
import { labelTestOf } from '../api-server/selectors/label-selector.ts';
import type { Store } from '../api-server/storage/store.ts';
import { read, type Stored } from '../api-server/storage/stored.ts';
import { unlessLostRace } from './client.ts';
import { condition } from './conditions.ts';
import type { Controller, ControllerContext } from './controller.ts';

const budgets = { group: 'policy', version: 'v1', plural: 'poddisruptionbudgets' };
const collectionName = 'poddisruptionbudgets.policy';
const workloads = ['deployments.apps', 'statefulsets.apps'];

/**
 * Writes the status of every PodDisruptionBudget.
 *
 * Caveats: there are no pods, so it counts the wanted and the ready replicas of Deployments and StatefulSets
 * with matching templates.
 */
export function disruptionBudgetController(context: ControllerContext): Controller {
  const { server, work } = context;
  const { store } = server;
  const client = context.client('disruption-controller');

  const sync = (stored: Stored): void => {
    const current = store.get(collectionName, stored.namespace, stored.name);
    if (current === undefined) return;
    const budget = read(current, 'policy/v1', 'PodDisruptionBudget');
    if (budget.metadata.deletionTimestamp !== undefined) return;
    const before = objectAt(budget, 'status');
    const pods = podsOf(store, current.namespace, objectAt(budget, 'spec').selector);
    const status = statusOf(budget, pods, timestamp(server.clock()));
    if (isSemanticallyEqual(status, before)) return;
    unlessLostRace(() =>
      client({
        verb: 'update',
        resource: budgets,
        namespace: current.namespace,
        name: current.name,
        subresource: 'status',
        body: { ...budget, status },
      }),
    );
  };

  const queue = (budget: Stored): void => {
    work.add(`${collectionName}/${budget.key}`, () => sync(budget));
  };

  return {
    onChange: ({ collection, before, after }) => {
      if (collection === collectionName && after) queue(after);
      if (!workloads.includes(collection)) return;
      const { namespace } = after ?? before ?? {};
      for (const budget of store.collection(collectionName).entries) {
        if (budget.namespace === namespace) queue(budget);
      }
    },
  };
}

interface Pods {
  readonly wanted: number;
  readonly ready: number;
}

/** Counts the pods of the workloads in a namespace whose templates match. */
function podsOf(store: Store, namespace: string, selector: unknown): Pods {
  const matches = labelTestOf((selector ?? {}) as JsonObject);
  const found = workloads.flatMap((collection) =>
    store
      .collection(collection)
      .entries.filter((one) => one.namespace === namespace)
      .map((one) => read(one, 'apps/v1', ''))
      .filter((one) => selector !== undefined && matches(labelsOf(objectAt(one, 'spec')))),
  );
  return {
    wanted: sum(found.map((one) => numberAt(objectAt(one, 'spec'), 'replicas') ?? 1)),
    ready: sum(found.map((one) => numberAt(objectAt(one, 'status'), 'readyReplicas') ?? 0)),
  };
}

function statusOf(budget: KubeObject, { wanted, ready }: Pods, now: string): JsonObject {
  const desired = desiredOf(objectAt(budget, 'spec'), wanted);
  const allowed = Math.max(0, ready - desired);
  const allowance = condition(
    objectsAt(objectAt(budget, 'status'), 'conditions'),
    {
      type: 'DisruptionAllowed',
      status: allowed > 0 ? 'True' : 'False',
      reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
      message: '',
    },
    { now },
  );
  const { generation } = budget.metadata;
  return {
    observedGeneration: generation,
    disruptionsAllowed: allowed,
    currentHealthy: ready,
    desiredHealthy: desired,
    expectedPods: wanted,
    conditions: [{ ...allowance, observedGeneration: generation }],
  };
}

function labelsOf({ template }: JsonObject): Record<string, string> {
  const metadata = objectAt(objectAt({ template }, 'template'), 'metadata');
  return objectAt(metadata, 'labels') as Record<string, string>;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** Returns how many pods must be healthy; a percentage applies to the wanted pods and is rounded up. */
function desiredOf({ minAvailable, maxUnavailable }: JsonObject, wanted: number): number {
  if (minAvailable !== undefined) return amountOf(minAvailable, wanted);
  if (maxUnavailable === undefined) return 0;
  return Math.max(0, wanted - amountOf(maxUnavailable, wanted));
}

function amountOf(share: unknown, whole: number): number {
  if (typeof share === 'number') return share;
  return Math.ceil((Number.parseInt(String(share), 10) * whole) / 100);
}
