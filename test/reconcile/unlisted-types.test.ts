import { beforeEach, describe, expect, test } from 'vitest';
import { configMap, deployment, horizontalPodAutoscaler, secret, service } from '../../index.ts';
import { inspect } from '../../infra/actions/inspect.ts';
import { KubeError } from '../../shared/cluster/cluster-errors.ts';
import type { ChildType } from '../../shared/kinds/child-type.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { previewRun } from '../../shared/preview/preview.ts';
import { certificate, certificateDefinition } from '../child-types/custom-resources.ts';
import { definitionType } from '../scenarios/definitions.ts';
import { stack } from '../support/stack.ts';
import { eachCall } from './calls.ts';
import { engineUser } from './engine.ts';
import { openRecordedPreview, previewOptions } from './recorded-preview.ts';
import { useEngine, usePlace } from './use-engine.ts';

const engine = useEngine({ controllers: 'paused', install: [stack] });
const place = usePlace(engine, [stack]);
const id = 'certificates.certificates.example.org';

const create = (name: string, wants: readonly string[] = [], config = `${name}-1`) =>
  place.api.create(stack, name, { spec: { config, wants } });
const edit = (name: string, spec: JsonObject) => place.api.patch(stack, name, { spec });
const serve = () => engine.install([stack, certificateDefinition]);
const unserve = async () => {
  if ((await engine.admin.find(definitionType, id)) !== undefined)
    await engine.admin.remove(definitionType, id);
};
/** Runs while each list of a type fails. */
const resyncWithout = (type: ChildType, { code, reason }: (typeof refusals)[number]) =>
  place.resync({
    through: (cluster) =>
      eachCall(cluster, async (what, call) => {
        if (what !== `list ${type.plural}`) return call();
        throw new KubeError(what, { code, status: { reason, message: 'refused' } });
      }),
  });

const names = async (type: ChildType) =>
  (await place.api.list(type)).map(({ metadata }) => metadata.name).toSorted();
const ready = async (name: string) =>
  (await place.api.get(stack, name)).status?.conditions?.find(({ type }) => type === 'Ready');
const recorded = async (name: string) =>
  (await place.api.get(stack, name)).status?.children?.map((one) => one.kind);
const events = async (name: string) =>
  (await place.api.list({ group: '', version: 'v1', kind: 'Event', plural: 'events' }))
    .filter((one) => (one.involvedObject as JsonObject).name === name)
    .map(({ reason }) => reason);

const remedy = `${id} v1 is not served, but children of Stack have this type: install a CRD that serves it`;
const monitors = {
  kind: 'monitors.certificates.example.org',
  error:
    'monitors.certificates.example.org v1 is not served, but former children of Stack have this type: install a CRD that serves it, or remove the type from `formerly`',
  ofChildren: true,
};

describe('a type that is not served', () => {
  beforeEach(unserve);

  test('blocks only its child, which one of two resources desires', async () => {
    await create('with', ['certificate', 'service']);
    await create('without', ['service']);
    const report = await place.resync();
    expect(await names(configMap)).toEqual(expect.arrayContaining(['with-1', 'without-1']));
    expect(await names(service)).toEqual(['with', 'without']);
    expect(await ready('without')).toMatchObject({ status: 'True' });
    expect(await ready('with')).toMatchObject({
      status: 'False',
      reason: 'TypeNotServed',
      message: remedy,
      observedGeneration: 1,
    });
    expect(await recorded('with')).toEqual(['ConfigMap', 'Service']);
    expect(report.incomplete).toEqual([]);
    expect(report.notServed).toEqual([{ kind: id, error: remedy, ofChildren: true }, monitors]);
    expect(report.outcomes).toMatchObject({ created: 4, blocked: 1 });
    expect((await place.resync()).statusWrites).toBe(0);
  });

  test('delays children that need its child, and no repair of others', async () => {
    await create('a', ['certificate', 'secret', 'service']);
    await place.resync();
    await place.api.remove(service, 'a');
    await place.resync();
    expect(await names(service)).toEqual(['a']);
    expect(await names(secret)).toEqual([]);
    await serve();
    await place.resync();
    expect(await names(secret)).toEqual(['a-needy']);
  });

  test('does not delay deletions of another type, even while a child of this type is desired', async () => {
    await create('a', ['certificate', 'service', 'secret']);
    await place.resync();
    await edit('a', { wants: ['certificate', 'secret'], config: 'a-2' });
    await place.resync();
    expect(await names(service)).toEqual([]);
    expect(await names(configMap)).toEqual(['a-2']);
    expect(await ready('a')).toMatchObject({ status: 'False', reason: 'TypeNotServed' });
  });

  test('is picked up by the next resync, without a report of drift', async () => {
    await create('a', ['certificate']);
    await place.resync();
    await serve();
    const report = await place.resync();
    expect(await place.api.get(certificate, 'a')).toMatchObject({ spec: { secretName: 'a' } });
    expect(report).toMatchObject({ notServed: [monitors], origins: { drift: 0, edit: 1 } });
    expect(await events('a')).not.toContain('Repaired');
  });

  test('does not keep a resource from being Ready if its child is no longer desired, or from deleting other children', async () => {
    await serve();
    await create('a', ['certificate', 'service']);
    await place.resync();
    await unserve();
    await edit('a', { wants: [], config: 'a-2' });
    await place.resync();
    expect(await names(service)).toEqual([]);
    expect(await names(configMap)).toEqual(['a-2']);
    expect(await ready('a')).toMatchObject({ status: 'True', observedGeneration: 2 });
    expect((await place.api.get(stack, 'a')).status?.observedGeneration).toBe(2);
    expect(await recorded('a')).toEqual(['ConfigMap', 'Certificate']);
    expect((await place.resync()).resources).toMatchObject({ unchanged: 1 });
    await serve();
    expect((await place.resync()).outcomes).toMatchObject({ created: 0, deleted: 0 });
    expect(await recorded('a')).toEqual(['ConfigMap']);
  });

  test('is shown by a plan and a status', async () => {
    await create('with', ['certificate']);
    await create('without');
    await place.resync();
    const { begin, close } = openRecordedPreview(engine);
    const area = { kinds: [stack], namespaces: [place.namespace], name: undefined };
    const { preview } = await previewRun(begin(), [{}], { ...previewOptions, area });
    expect(preview.incomplete).toEqual([]);
    expect(preview.resources).toMatchObject([
      { name: 'with', actions: [{ verb: 'block', reason: 'TypeNotServed', message: remedy }] },
    ]);
    const { failures, resources } = await inspect(begin(), area, { concurrency: 4 });
    expect(failures).toEqual([]);
    expect(resources.map(({ sync }) => sync.state)).toEqual(['Blocked', 'InSync']);
    await close();
  });
});

test('a type that is no longer served blocks no other type, and its children are not reported as deleted', async () => {
  await serve();
  await create('a', ['certificate', 'service']);
  await create('b', ['service']);
  await place.resync();
  await unserve();
  await place.api.remove(service, 'a');
  await place.api.remove(service, 'b');
  const report = await place.resync();
  expect(await names(service)).toEqual(['a', 'b']);
  expect(report.outcomes).toMatchObject({ created: 2, deleted: 0, blocked: 1 });
  expect(await ready('a')).toMatchObject({ status: 'False', reason: 'TypeNotServed' });
  expect(await ready('b')).toMatchObject({ status: 'True' });
  expect((await recorded('a'))?.toSorted()).toEqual(['Certificate', 'ConfigMap', 'Service']);
  expect((await events('a')).filter((one) => one === 'Repaired')).toHaveLength(1);
  await serve();
  await place.resync();
  expect(await names(certificate)).toEqual(['a']);
  // The new Certificate waits for its controller.
  expect(await ready('a')).toMatchObject({ status: 'False', reason: 'Progressing' });
});

/** Failing lists of a served type, with the reason and the state of a resource with a child of it. */
const refusals = [
  {
    code: 403,
    reason: 'Forbidden',
    state: 'Stalled',
    remedy: /grant the permissions that `reconciler generate rbac` prints/,
  },
  { code: 500, reason: 'InternalError', state: 'Reconciling', remedy: /cannot list services/ },
  { code: 410, reason: 'Expired', state: 'Reconciling', remedy: /cannot list services/ },
] as const;

describe.each(refusals)('a list that fails with $code', (refusal) => {
  const { reason, state, remedy } = refusal;
  beforeEach(async () => {
    await serve();
    await create('with', ['service', 'deployment']);
    await create('without', ['deployment']);
    await place.resync();
    for (const name of ['with', 'without']) await place.api.scale(deployment, name, 7);
  });

  test('prevents writes of children of its type only', async () => {
    await place.api.remove(service, 'with');
    const report = await resyncWithout(service, refusal);
    expect(await names(service)).toEqual([]);
    for (const name of ['with', 'without'])
      expect((await place.api.get(deployment, name)).spec).toMatchObject({ replicas: 2 });
    expect(report.incomplete).toMatchObject([{ kind: 'services', ofChildren: true }]);
    const { status } = await place.api.get(stack, 'with');
    expect(status?.conditions?.find(({ type }) => type === state)).toMatchObject({
      reason,
      message: expect.stringMatching(remedy),
    });
    expect(status?.children?.map(({ kind }) => kind)).toContain('Service');
    expect(await ready('without')).toMatchObject({ reason: 'Progressing' });
    await place.resync();
    expect(await names(service)).toEqual(['with']);
  });

  test('does not prevent deletions of unrelated types', async () => {
    for (const name of ['with', 'without']) await edit(name, { config: `${name}-2` });
    await resyncWithout(service, refusal);
    expect(await names(configMap)).toEqual(['with-2', 'without-2']);
    expect(await ready('with')).toMatchObject({ status: 'False', reason });
  });

  test('prevents the deletion of children that an unlisted child may need, but not for other resources', async () => {
    await create('bare');
    await place.resync();
    for (const name of ['bare', 'with']) await edit(name, { config: `${name}-2` });
    await resyncWithout(deployment, refusal);
    expect(await names(configMap)).toEqual(['bare-2', 'with-1', 'with-2', 'without-1']);
    await place.resync();
    expect(await names(configMap)).toEqual(['bare-2', 'with-2', 'without-1']);
  });

  test('prevents deletions of its type, which is reported', async () => {
    await edit('with', { wants: ['deployment'] });
    await resyncWithout(service, refusal);
    expect(await names(service)).toEqual(['with']);
    expect(await ready('with')).toMatchObject({ status: 'False', reason });
    expect(await recorded('with')).toContain('Service');
    await place.resync();
    expect(await names(service)).toEqual([]);
  });

  test('keeps the autoscaler of a target that is gone', async () => {
    await edit('with', { wants: ['deployment', 'scaler'] });
    await place.resync();
    await place.api.remove(deployment, 'with');
    await place.api.patch(horizontalPodAutoscaler, 'with', { spec: { maxReplicas: 9 } });
    await resyncWithout(deployment, refusal);
    expect(await recorded('with')).toContain('Deployment');
    expect(await names(deployment)).not.toContain('with');
    expect((await place.api.get(horizontalPodAutoscaler, 'with')).spec?.maxReplicas).toBe(9);
    expect((await place.resync()).origins).toMatchObject({ drift: 2 });
    expect((await place.api.get(horizontalPodAutoscaler, 'with')).spec?.maxReplicas).toBe(3);
  });

  test('does not change status fields that a kind derives from children of its type', async () => {
    await resyncWithout(deployment, refusal);
    expect((await place.api.get(stack, 'with')).status).toMatchObject({ live: 3 });
    expect((await place.api.get(deployment, 'with')).spec).toMatchObject({ replicas: 7 });
  });
});

test('a list that hangs leaves time for children of other types', async () => {
  await serve();
  await create('a', ['service']);
  await create('b');
  engine.cluster.faults.add({
    user: engineUser,
    namespace: place.namespace,
    verb: 'list',
    resource: 'services',
    effect: { kind: 'delay', ms: 60_000 },
  });
  const report = await place.resync({ deadline: Date.now() + 4_200 });
  expect(report.incomplete).toMatchObject([{ kind: 'services', transient: true }]);
  expect(await names(configMap)).toEqual(['a-1', 'b-1']);
});
