import { setTimeout as delay } from 'node:timers/promises';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { openPlace } from '../scenarios/place.ts';
import { replicasOf, startedFoo } from '../scenarios/resources.ts';
import { openStage } from '../scenarios/stage.ts';
import type { TestClusterName } from '../scenarios/test-cluster.ts';

const pollMs = 5;

/**
 * Measures the milliseconds from a hand edit of a Deployment to its repair by an audit event, without a
 * resync. Each edit needs a resource of its own: a field edited again within 30 s is left to a resync.
 */
export async function measureReactions(
  ground: TestClusterName,
  edits: number,
): Promise<readonly number[]> {
  const stage = await openStage(ground);
  try {
    const times: number[] = [];
    for (let at = 0; at < edits; at++) {
      const place = await openPlace(stage, `reaction-${at}`);
      await startedFoo(place, 1);
      await place.api.patch(deployment, 'chosen', { spec: { replicas: 2 } });
      const began = performance.now();
      while ((await replicasOf(place, 'chosen')) !== 1) await delay(pollMs);
      times.push(performance.now() - began);
    }
    return times.toSorted((a, b) => a - b);
  } finally {
    await stage.close();
  }
}
