import { expect, test } from 'vitest';
import { createReconciler } from '../../shared/controller/reconciler.ts';
import { resyncOrFanOut } from '../../shared/controller/scheduled-resync.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { createLog } from '../../shared/log.ts';
import { openDirectEngine } from '../properties/direct-engine.ts';
import { imageOf, kind, versionOf } from '../properties/rollout-fleet.ts';
import { parseConfig } from '../support/config.ts';

test('with fan-out the publishing resync chooses the resources of a rollout, and the runs of its messages change them', async () => {
  const { cluster, place } = await openDirectEngine(undefined, [kind]);
  const { api, namespace, resync: part } = await place([kind]);
  const names = ['a', 'b', 'c'];
  for (const name of names) await api.create(kind, name, { spec: {} });
  await part();
  await cluster.controllers.settled();
  cluster.controllers.resume();
  await cluster.controllers.settled();
  await part();

  const v2 = versionOf('v2');
  const config = parseConfig({ CLUSTER_CONTEXT: 'local', NAMESPACES: namespace });
  const published: object[] = [];
  const publish = async (messages: readonly object[]) => void published.push(...messages);
  const platform = { ...config.platform, publish };
  const reconciler = createReconciler(
    { ...config, kinds: [v2], platform, cluster: { name: 'local', context: 'local' } },
    createLog(() => undefined, 'ERROR'),
    { credentials: async () => ({}) as never, connect: () => cluster.connection },
  );
  const rollout = config.rollout!;
  const runPart = () => part({ kinds: [v2], trigger: 'request', rollout });
  const images = async () => (await api.list(deployment)).map(imageOf).toSorted();

  // No resource is marked as waiting yet: the runs of the messages mark them.
  await resyncOrFanOut(reconciler, {});
  expect(published).toHaveLength(1);
  await runPart();
  expect(await images()).toEqual(['v1', 'v1', 'v1']);
  const begun = cluster.requests.list().length;
  await resyncOrFanOut(reconciler, {});
  const marks = cluster.requests
    .list()
    .slice(begun)
    .filter(({ verb }) => verb === 'patch');
  expect(marks).toHaveLength(2);
  await runPart();
  expect(await images()).toEqual(['v1', 'v1', 'v2']);
  await cluster.controllers.settled();
  await runPart();
  for (let resyncs = 0; resyncs < 6; resyncs++) {
    await resyncOrFanOut(reconciler, {});
    await runPart();
    await cluster.controllers.settled();
    await runPart();
  }
  expect(await images()).toEqual(['v2', 'v2', 'v2']);
  await reconciler.close();
  cluster.stop();
});
