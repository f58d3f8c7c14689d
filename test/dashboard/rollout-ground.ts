import { createClient } from '@serverless-reconciler/local-cluster/client';
import { rolloutAnnotation } from '../../shared/kinds/names.ts';
import { definitionType } from '../../shared/rollout/pause.ts';
import { kind, versionOf } from '../properties/rollout-fleet.ts';
import { openApi } from '../scenarios/api.ts';
import { openDashboardGround, openDashboardOn, post } from './ground.ts';

const env = { ROLLOUT_BUDGET: '2', ROLLOUT_TIMEOUT_SECONDS: '60', SETTLE_SECONDS: '0' };
export const names = ['a', 'b', 'c', 'd', 'e'];

export type RolloutGround = Awaited<ReturnType<typeof openRolloutGround>>;

/** Creates five resources, all Ready with the old version, and runs one resync of the new version, which changes one of them. */
export async function openRolloutGround() {
  let ahead = 0;
  const clock = (): Date => new Date(Date.now() + ahead);
  const ground = await openDashboardGround({ kinds: [kind], env, clock });
  const { cluster, api } = ground;
  const client = createClient({ url: cluster.url });
  const admin = openApi(client);
  const given = { kinds: [versionOf('v2')], env, clock };
  const dashboard = await openDashboardOn(cluster, given);
  const readOnly = await openDashboardOn(cluster, { ...given, readOnly: true });
  const resyncOf = async (url: string): Promise<void> => {
    const { code, response } = await post(url, 'resync', { request: {} });
    if (code !== 200) throw new Error(`the resync failed: ${JSON.stringify(response)}`);
  };
  for (const name of names) await api.create(kind, name, { spec: {} });
  await resyncOf(ground.dashboard.url);
  await cluster.controllers.settled();
  await resyncOf(ground.dashboard.url);
  cluster.controllers.pause();
  await resyncOf(dashboard.url);
  return {
    api,
    admin,
    cluster,
    dashboard,
    readOnly,
    resync: () => resyncOf(dashboard.url),
    /** Moves the clock past the rollout timeout. */
    passTimeout(): void {
      ahead += 100_000;
    },
    /** Lets all pods become ready. */
    async settled(): Promise<void> {
      cluster.controllers.resume();
      await cluster.controllers.settled();
      cluster.controllers.pause();
    },
    async annotation(): Promise<string | undefined> {
      const { metadata } = await admin.get(definitionType, 'fleets.example.org');
      return metadata.annotations?.[rolloutAnnotation];
    },
    async stop(): Promise<void> {
      await client.close();
      for (const one of [dashboard, readOnly, ground]) await one.stop();
    },
  };
}
