import pMap from 'p-map';
import { isEdited } from '../plan/observed/edited.ts';
import { plan } from '../plan/plan.ts';
import { planResource } from '../resource/plan-resource.ts';
import { addWaiting } from '../rollout/fleet.ts';
import { gated } from '../rollout/gate.ts';
import { type Run, withTimeout } from '../run/run.ts';
import type { LiveWorld } from '../run/state.ts';
import type { Survey } from './survey-result.ts';

/**
 * Finds out by dry runs what new code of a kind would change, before resources are chosen to begin.
 *
 * Guarantees: sends no dry run that the resource's own turn would not send, and keeps the results for it.
 * Takes at most a quarter of the time left. A resource for which there is no time begins in a later run.
 */
export async function askAhead(
  run: Run,
  { work, fleets }: Pick<Survey, 'work' | 'fleets'>,
  concurrency: number,
): Promise<void> {
  const { rollout: policy } = run.policy;
  if (policy === undefined) return;
  const until = run.limits.deadline - run.clients.now().getTime();
  const limited = withTimeout(run, until / 4);
  const ask = async (world: LiveWorld): Promise<void> => {
    if (isEdited(world.resource) || plan(world).state !== 'unseen') return;
    const planning = { run: limited, world, outcomes: new Map() };
    // Ignores an error, because the resource's own turn reports it.
    const planned = await planResource(planning).catch(() => undefined);
    if (planned === undefined) return;
    const { part } = gated(planned, world, { now: run.clients.now(), policy });
    if (part === 'waits') addWaiting(fleets, world);
  };
  await pMap(work, ask, { concurrency });
}
