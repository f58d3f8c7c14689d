import { afterAll, beforeAll, expect, test } from 'vitest';
import { apply } from '../../infra/actions/apply.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { previewRun } from '../../shared/preview/preview.ts';
import { website } from '../../systems/website.ts';
import { kind as fleet, imageOf, policy, versionOf } from '../properties/rollout-fleet.ts';
import { condition } from '../scenarios/resources.ts';
import { isWriteRequest, type Place } from './engine.ts';
import { openRecordedPreview, previewOptions } from './recorded-preview.ts';
import { useEngine } from './use-engine.ts';

const engine = useEngine({ controllers: 'paused', install: [fleet] });
let recorded: ReturnType<typeof openRecordedPreview>;
beforeAll(() => {
  recorded = openRecordedPreview(engine);
});
afterAll(() => recorded.close());

/** Creates a Website, applies its plan, and calls `during` in each pause while it settles. */
async function applied(during: (place: Place) => Promise<unknown>) {
  const place = await engine.place([website]);
  await place.api.create(website, 'shop', { spec: { imageTag: 'v1', nodePort: place.nodePort() } });
  const options = { ...previewOptions, area: { kinds: [website], namespaces: [place.namespace] } };
  const seen = await previewRun(recorded.begin(), [{}], options);
  const { requests } = engine.cluster;
  requests.reset();
  const report = await apply(recorded.begin(), seen, {
    concurrency: 1,
    settleSeconds: 60,
    wait: () => during(place),
  });
  const ready = condition(await place.api.get(website, 'shop'), 'Ready');
  const writes = requests
    .list()
    .filter(
      (one) => isWriteRequest(one) && one.path.includes('fieldManager=serverless-reconciler'),
    );
  return {
    place,
    report,
    ready,
    writes: writes.map(({ verb, resource }) => `${verb} ${resource}`),
  };
}

const settled = async (): Promise<void> => {
  const { controllers } = engine.cluster;
  controllers.resume();
  await controllers.settled();
  controllers.pause();
};

const planned = ['patch deployments', 'patch services', 'patch websites'];

test('the status becomes Ready with the children, without another run', async () => {
  const { ready, report, writes } = await applied(settled);
  expect(ready).toMatchObject({ status: 'True', reason: 'Ready' });
  expect(report).toMatchObject({ failures: [], statusWrites: 2, outcomes: { created: 2 } });
  expect(writes).toEqual([...planned, 'patch websites']);
});

test('a child that changes while it settles is left to the next run, because only the plan may be written', async () => {
  const { place, ready, writes, report } = await applied(async ({ api }) => {
    await settled();
    await api.scale(deployment, 'shop', 5);
  });
  expect(ready).toMatchObject({ status: 'False', reason: 'Progressing' });
  expect(writes).toEqual(planned);
  expect(report).toMatchObject({ failures: [], outcomes: { created: 2, updated: 0 } });
  expect((await place.api.get(deployment, 'shop')).spec?.replicas).toBe(5);
});

test('a spec that is edited while the resource settles is left to the next run', async () => {
  const { ready, writes, report } = await applied(async ({ api }) => {
    await settled();
    await api.patch(website, 'shop', { spec: { imageTag: 'v2' } });
  });
  expect(ready).toMatchObject({ status: 'False', reason: 'Progressing' });
  expect(writes).toEqual(planned);
  expect(report.failures).toEqual([]);
});

test('in a rollout it changes what the preview shows, also a resource that a run chose before it died', async () => {
  const { api, namespace, resync } = await engine.place([fleet]);
  for (const name of ['a', 'b', 'c']) await api.create(fleet, name, { spec: {} });
  for (let resyncs = 0; resyncs < 2; resyncs++) {
    await resync({ kinds: [fleet] });
    await settled();
  }
  const chosen = { type: 'RolloutPending', status: 'True', reason: 'Starting', message: '' };
  const conditions = [{ ...chosen, lastTransitionTime: new Date().toISOString() }];
  await api.applyStatus(fleet, 'b', { status: { conditions } }, 'serverless-reconciler-rollout');
  const area = { kinds: [versionOf('v2')], namespaces: [namespace] };
  const begun = recorded.begin();
  const run = { ...begun, policy: { ...begun.policy, rollout: policy } };
  const seen = await previewRun(run, [{}], { ...previewOptions, area });
  const shown = seen.preview.resources.filter(({ actions }) =>
    actions.some(({ verb }) => verb === 'update'),
  );
  await apply(run, seen, { concurrency: 1 });
  const changed = (await api.list(deployment)).filter((live) => imageOf(live) === 'v2');
  expect(changed.map(({ metadata }) => metadata.name)).toEqual(['b']);
  expect(shown.map(({ name }) => name)).toEqual(['b']);
});
