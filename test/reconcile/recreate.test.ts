import { expect, test } from 'vitest';
import { child, defineKind, deployment, job, Type } from '../../index.ts';
import { apply } from '../../infra/actions/apply.ts';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { KubeError } from '../../shared/cluster/cluster-errors.ts';
import { valueAt } from '../../shared/json.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { previewRun } from '../../shared/preview/preview.ts';
import { condition } from '../scenarios/resources.ts';
import { recreatedShop as shop } from '../support/recreated.ts';
import { openRecordedPreview, previewOptions } from './recorded-preview.ts';
import { type RecordedRequest, textOf } from './recorded-requests.ts';
import { useEngine, usePlace } from './use-engine.ts';

const batch = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Batch',
  plural: 'batches',
  spec: Type.Object({ size: Type.Integer() }),
  samples: [{ name: 'one', spec: { size: 1 } }],
  owns: [job],
  children: ({ name, spec: { size: parallelism } }) => [
    child(job, {
      name,
      recreate: true,
      body: {
        spec: {
          parallelism,
          template: {
            spec: { restartPolicy: 'Never', containers: [{ name: 'a', image: 'a:1' }] },
          },
        },
      },
    }),
  ],
});

const engine = useEngine({ install: [shop, batch] });
const place = usePlace(engine, [shop, batch]);

const tierOf = async (): Promise<unknown> =>
  valueAt((await place.api.get(deployment, 'one')).spec, 'selector', 'matchLabels');
const uidOf = async (): Promise<string> => (await place.api.get(deployment, 'one')).metadata.uid;
/** Lists the writes of Deployments since a request. */
const sent = (begun: number): readonly string[] =>
  place
    .requests()
    .slice(begun)
    .filter(({ resource, verb }) => resource === 'deployments' && !/list|get/.test(verb))
    .map(({ verb, name, status }) => `${verb} ${name.replace(/trial-.*/, 'trial')} ${status}`);

async function created(spec: JsonObject = { tier: 'front' }): Promise<string> {
  await place.api.create(shop, 'one', { spec });
  await place.resync({ settleSeconds: 10 });
  return uidOf();
}

test('a child with another value of an immutable field is deleted and created again in one run', async () => {
  const before = await created();
  await place.api.patch(shop, 'one', { spec: { tier: 'back' } });
  const begun = place.requests().length;
  const { outcomes, failures } = await place.resync({ settleSeconds: 10 });
  expect(failures).toEqual([]);
  expect(outcomes).toMatchObject({ updated: 2, created: 0, deleted: 0 });
  expect(sent(begun)).toEqual([
    'patch one 422',
    'patch trial 201',
    'patch trial 201',
    'delete one 200',
    'patch one 201',
  ]);
  expect(await tierOf()).toEqual({ tier: 'back' });
  expect(await uidOf()).not.toBe(before);
  expect(await place.api.list(deployment)).toHaveLength(1);
  const again = place.requests().length;
  const { statusWrites } = await place.resync();
  expect({ statusWrites, sent: sent(again) }).toEqual({ statusWrites: 0, sent: [] });
});

test('a child whose update a policy refuses is kept, because a new one may be refused, too', async () => {
  const before = await created();
  await place.api.patch(shop, 'one', { spec: { image: 'a:2' } });
  const words = 'denied request: not this name';
  const status = { reason: 'Invalid', message: words, details: { causes: [{ message: words }] } };
  const through = (cluster: Cluster): Cluster => ({
    ...cluster,
    withTimeout: (ms) => through(cluster.withTimeout(ms)),
    async apply(type, manifest, options) {
      if (type === deployment && manifest.metadata.name === 'one')
        throw new KubeError('apply Deployment one', { code: 422, status });
      return cluster.apply(type, manifest, options);
    },
  });
  const { failures } = await place.resync({ through });
  expect(failures).toMatchObject([{ reason: 'Invalid', message: expect.stringContaining(words) }]);
  expect(await uidOf()).toBe(before);
});

test.each([
  ['is not sent if admission refuses its dry run', {}, [true]],
  [
    'is sent even if the user of the dry run lacks the permission',
    { kind: 'deployments' },
    [true, undefined],
  ],
] as const)('an update %s, and the child is kept', async (_, details, want) => {
  const before = await created();
  await place.api.patch(shop, 'one', { spec: { image: 'a:2' } });
  const refused: (boolean | undefined)[] = [];
  const status = { reason: 'Forbidden', message: 'denied the request: no', details };
  const through = (cluster: Cluster): Cluster => ({
    ...cluster,
    withTimeout: (ms) => through(cluster.withTimeout(ms)),
    async apply(type, manifest, options) {
      if (type !== deployment || manifest.metadata.name !== 'one')
        return cluster.apply(type, manifest, options);
      refused.push(options.dryRun);
      throw new KubeError('apply Deployment one', { code: 403, status });
    },
  });
  const { failures } = await place.resync({ through });
  expect(failures).toMatchObject([{ reason: 'Forbidden' }]);
  expect(refused).toEqual(want);
  expect(await uidOf()).toBe(before);
});

test('a child that admission changes only in creations is not recreated for an edit of another field', async () => {
  const through = (cluster: Cluster): Cluster => ({
    ...cluster,
    withTimeout: (ms) => through(cluster.withTimeout(ms)),
    apply(type, manifest, options) {
      const isNew = manifest.metadata.uid === undefined;
      const text = JSON.stringify(manifest).replace('"image":"a:1"', '"image":"mirror/a:1"');
      return cluster.apply(type, isNew && type === job ? JSON.parse(text) : manifest, options);
    },
  });
  await place.api.create(batch, 'one', { spec: { size: 1 } });
  await place.resync({ through });
  const { metadata, spec } = await place.api.get(job, 'one');
  expect(JSON.stringify(spec)).toContain('mirror/a:1');
  await place.api.patch(batch, 'one', { spec: { size: 2 } });
  const { failures } = await place.resync({ through });
  expect(failures).toMatchObject([{ reason: 'Invalid' }]);
  expect((await place.api.get(job, 'one')).metadata.uid).toBe(metadata.uid);
});

test('a change of mutable fields recreates no child', async () => {
  const before = await created();
  await place.api.patch(shop, 'one', { spec: { image: 'a:2' } });
  await place.resync();
  expect(await uidOf()).toBe(before);
});

test('a plan shows a recreation with its impact, and apply sends exactly that', async () => {
  await created();
  await place.api.patch(deployment, 'one', { metadata: { annotations: { other: 'writer' } } });
  await place.api.patch(shop, 'one', { spec: { tier: 'back' } });
  const recorded = openRecordedPreview(engine);
  const options = { ...previewOptions, area: { kinds: [shop], namespaces: undefined } };
  const seen = await previewRun(recorded.begin(), [{ namespace: place.namespace }], options);
  const [first] = seen.preview.resources[0]?.actions ?? [];
  expect(first).toMatchObject({
    verb: 'update',
    recreates: true,
    impact: ['interrupt'],
  });
  expect(first?.differences).toMatchObject([
    { path: 'metadata.annotations', to: undefined },
    { path: 'spec.selector.matchLabels.tier', from: 'front', to: 'back' },
    { path: 'spec.template.metadata.labels.tier' },
  ]);
  const sentByApply: RecordedRequest[] = [];
  await apply(recorded.begin(sentByApply), seen, { concurrency: 1 });
  await recorded.close();
  const writes = sentByApply.map(({ request }) => textOf(request));
  const planned = first?.requests.map(textOf) ?? [];
  expect(planned.map((one) => one.replace(/trial-\w+/, 'trial'))).toEqual(
    [
      'get Shop case/one',
      'apply Deployment case/trial serverless-reconciler',
      'delete Deployment case/one',
      'apply Deployment case/one serverless-reconciler',
    ].map((one) => one.replace('case', place.namespace)),
  );
  const performed = first?.requests.filter(({ dryRun }) => dryRun !== true).map(textOf);
  expect(writes).toEqual(expect.arrayContaining(performed ?? []));
  expect(await tierOf()).toEqual({ tier: 'back' });
});

test('apply reports a child that a finalizer keeps, and leaves its creation to the next run', async () => {
  await created();
  await place.api.patch(deployment, 'one', { metadata: { finalizers: ['example.org/keep'] } });
  await place.api.patch(shop, 'one', { spec: { tier: 'back' } });
  const recorded = openRecordedPreview(engine);
  const options = { ...previewOptions, area: { kinds: [shop], namespaces: undefined } };
  const seen = await previewRun(recorded.begin(), [{ namespace: place.namespace }], options);
  const wait = () => Promise.resolve();
  const report = await apply(recorded.begin(), seen, { concurrency: 1, settleSeconds: 1, wait });
  await recorded.close();
  const message = 'Deployment one is being deleted; a later run creates it again';
  expect(report).toMatchObject({
    failures: [{ reason: 'ChildDeleting', message }],
    outcomes: { created: 0, updated: 0, failed: 1, skipped: 1 },
  });
  const ready = condition(await place.api.get(shop, 'one'), 'Ready');
  expect(ready).toMatchObject({ status: 'False', reason: 'ChildDeleting', observedGeneration: 2 });
  await place.api.patch(deployment, 'one', { metadata: { finalizers: null } });
  await place.resync();
  expect(await tierOf()).toEqual({ tier: 'back' });
});

test('a child that the server would not create is not deleted', async () => {
  const before = await created();
  await place.api.patch(shop, 'one', { spec: { tier: 'back', labelled: 'front' } });
  const { failures } = await place.resync();
  expect(failures).toMatchObject([{ reason: 'Invalid' }]);
  expect(await uidOf()).toBe(before);
});

test('a child that a finalizer keeps is created again once it is gone', async () => {
  await created();
  await place.api.patch(deployment, 'one', { metadata: { finalizers: ['example.org/keep'] } });
  await place.api.patch(shop, 'one', { spec: { tier: 'back' } });
  await place.resync();
  const ready = condition(await place.api.get(shop, 'one'), 'Ready');
  expect(ready).toMatchObject({ status: 'False', reason: 'ChildDeleting' });
  await place.api.patch(deployment, 'one', { metadata: { finalizers: null } });
  const { origins } = await place.resync();
  expect(origins).toMatchObject({ edit: 2, drift: 0 });
  expect(await place.api.list(eventType)).toEqual([]);
  expect(await tierOf()).toEqual({ tier: 'back' });
});

test('a run that crashes after the deletion leaves the creation to the next one', async () => {
  await created();
  await place.api.patch(shop, 'one', { spec: { tier: 'back' } });
  const remove = engine.cluster.faults.add({
    verb: 'patch',
    resource: 'deployments',
    namespace: place.namespace,
    name: 'one',
    // The first request is a dry run.
    nth: 2,
    times: 100,
    effect: { kind: 'drop', when: 'before' },
  });
  await place.resync({ deadline: Date.now() + 2_000 });
  remove();
  expect(await place.api.list(deployment)).toEqual([]);
  await place.resync();
  expect(await tierOf()).toEqual({ tier: 'back' });
});

test('a child that was edited since the plan is read again first', async () => {
  await created();
  await place.api.patch(shop, 'one', { spec: { tier: 'back' } });
  let edits = 0;
  const stop = engine.cluster.intercept(async ({ verb, resource, namespace }) => {
    if (verb !== 'delete' || resource !== 'deployments' || namespace !== place.namespace) return;
    if (edits++ === 0) await place.api.patch(deployment, 'one', { spec: { replicas: 3 } });
  });
  const begun = place.requests().length;
  await place.resync();
  stop();
  expect(sent(begun).filter((one) => one.startsWith('delete'))).toEqual([
    'delete one 409',
    'delete one 200',
  ]);
  expect(await tierOf()).toEqual({ tier: 'back' });
});

test('a child whose dry run got no response is recreated by the run after the refusal', async () => {
  const before = await created();
  await place.api.patch(shop, 'one', { spec: { tier: 'back' } });
  const remove = engine.cluster.faults.add({
    verb: 'patch',
    resource: 'deployments',
    namespace: place.namespace,
    name: 'one',
    times: 1,
    effect: { kind: 'status', code: 410 },
  });
  const { failures } = await place.resync();
  remove();
  expect(failures).toMatchObject([{ reason: 'Invalid' }]);
  expect(await uidOf()).toBe(before);
  await place.resync();
  expect(await uidOf()).not.toBe(before);
});
