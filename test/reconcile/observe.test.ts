import { describe, expect, test } from 'vitest';
import { child, configMap, defineKind, deployment, service, Type } from '../../index.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import { observeAnnotation, suspendAnnotation } from '../../shared/kinds/names.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { condition } from '../scenarios/resources.ts';
import { depot } from '../support/finalizing-kind.ts';
import { isWriteRequest } from './engine.ts';
import { useEngine, usePlace } from './use-engine.ts';

const engine = useEngine({ controllers: 'paused', install: [depot] });
const place = usePlace(engine, [foo, website, depot]);

/** Sets annotations of a resource; null removes one. */
const annotate = (
  kind: Kind,
  name: string,
  value: string | null = 'true',
  key = observeAnnotation,
) => place.api.patch(kind, name, { metadata: { annotations: { [key]: value } } });
const newFoo = (spec: JsonObject = {}) =>
  place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 2, ...spec } });
async function settle(): Promise<void> {
  engine.cluster.controllers.resume();
  await engine.cluster.controllers.settled();
  engine.cluster.controllers.pause();
}
async function converge(): Promise<void> {
  await place.resync();
  await settle();
  await place.resync();
}
const conditionOf = async (type: string, kind: Kind = foo, name = 'f') =>
  condition(await place.api.get(kind, name), type);
const drifted = (kind: Kind = foo, name = 'f') => conditionOf('Drifted', kind, name);
const events = async () => (await place.api.list(eventType)).map(({ reason }) => reason);

/** Runs once, and returns the written resources: `PLURAL` or `PLURAL/SUBRESOURCE`. */
async function written(act: () => Promise<unknown> = () => place.resync()) {
  const before = place.requests().length;
  await act();
  return place
    .requests()
    .slice(before)
    .filter(isWriteRequest)
    .map(({ resource, subresource }) => [resource, subresource].filter(Boolean).join('/'));
}

describe('a resource that is only observed', () => {
  test('reports who changed which field, and writes nothing but its status', async () => {
    await newFoo();
    await converge();
    await annotate(foo, 'f');
    expect(await written()).toEqual(['foos/status']);
    expect(await drifted()).toMatchObject({ status: 'False', reason: 'InSync' });
    await place.api.scale(deployment, 'a', 4);
    const posted = await events();
    expect(await written()).toEqual(['foos/status']);
    expect(await drifted()).toMatchObject({
      status: 'True',
      reason: 'Drifted',
      message: expect.stringMatching(/^Deployment a: spec\.replicas 4 → 2, changed by \S+$/),
    });
    expect(await written()).toEqual([]);
    expect(await events()).toEqual(posted);
    expect((await place.api.get(deployment, 'a')).spec).toMatchObject({ replicas: 4 });
  });

  test('gets a current status, with the readiness of its children', async () => {
    await newFoo();
    await converge();
    await annotate(foo, 'f');
    await place.api.scale(deployment, 'a', 4);
    await place.resync();
    expect(await conditionOf('Ready')).toMatchObject({ status: 'False', reason: 'Progressing' });
    await settle();
    await place.resync();
    expect(await conditionOf('Ready')).toMatchObject({
      status: 'True',
      message:
        'all children are ready; the condition Drifted says how they differ from the desired state',
    });
    expect((await place.api.get(foo, 'f')).status).toMatchObject({ availableReplicas: 4 });
  });

  test('is managed again once the annotation is removed', async () => {
    await newFoo();
    await converge();
    await annotate(foo, 'f');
    await place.api.scale(deployment, 'a', 4);
    await place.resync();
    await annotate(foo, 'f', null);
    await converge();
    expect((await place.api.get(deployment, 'a')).spec).toMatchObject({ replicas: 2 });
    expect(await drifted()).toBeUndefined();
    expect(await events()).toContain('Repaired');
    expect(await written()).toEqual([]);
  });

  test('counts the creation of a child that was deleted meanwhile as a repair', async () => {
    await newFoo();
    await converge();
    await annotate(foo, 'f');
    await place.api.remove(deployment, 'a');
    await place.resync();
    await place.resync();
    expect(await conditionOf('Stalled')).toMatchObject({ reason: 'ChildMissing' });
    await annotate(foo, 'f', null);
    const { origins } = await place.resync();
    expect(origins).toMatchObject({ drift: 1, edit: 0 });
    expect(await events()).toContain('Repaired');
  });

  test('does not apply an edit, which later still counts as an edit', async () => {
    await newFoo();
    await converge();
    await annotate(foo, 'f');
    await place.api.patch(foo, 'f', { spec: { deploymentName: 'b' } });
    await place.resync();
    const { status } = await place.api.get(foo, 'f');
    expect(status).toMatchObject({ observedGeneration: 1 });
    expect((await drifted())?.message).toBe(
      'Deployment b: does not exist; Deployment a: no longer desired',
    );
    expect(await conditionOf('Stalled')).toMatchObject({ reason: 'ChildMissing' });
    await annotate(foo, 'f', null);
    await converge();
    expect((await place.api.list(deployment)).map(({ metadata }) => metadata.name)).toEqual(['b']);
    expect(await events()).not.toContain('Repaired');
  });

  test('finds a child that lost its labels, and a foreign object', async () => {
    await place.api.create(website, 'w', { spec: { imageTag: '1' } });
    await newFoo();
    await converge();
    for (const [kind, name] of [
      [website, 'w'],
      [foo, 'f'],
    ] as const)
      await annotate(kind, name);
    await place.api.patch(service, 'w', { metadata: { labels: null } });
    await place.api.patch(deployment, 'a', { metadata: { ownerReferences: null, labels: null } });
    await place.resync();
    expect((await drifted(website, 'w'))?.message).toMatch(/^Service w: metadata\.labels /);
    expect(await drifted()).toMatchObject({ status: 'Unknown', reason: 'NotCompared' });
    expect(await conditionOf('Stalled')).toMatchObject({ reason: 'ErrResourceExists' });
  });

  test('gets no child and no finalizer if it was never managed', async () => {
    await place.api.create(depot, 'north', { spec: {} });
    await annotate(depot, 'north');
    const all = await written();
    expect(all.filter((one) => one !== 'events')).toEqual(['depots/status']);
    expect((await drifted(depot, 'north'))?.message).toContain('Job north-make: does not exist');
    await annotate(depot, 'north', null);
    await place.resync();
    expect((await place.api.get(depot, 'north')).metadata.finalizers).toHaveLength(1);
  });

  test('is cleaned up when it is deleted', async () => {
    await place.api.create(depot, 'north', { spec: {} });
    await converge();
    await annotate(depot, 'north');
    await place.api.remove(depot, 'north');
    for (let runs = 0; runs < 3; runs++) await converge();
    expect(await place.api.find(depot, 'north')).toBeUndefined();
  });

  test('is suspended while it has both annotations', async () => {
    await newFoo();
    await converge();
    await annotate(foo, 'f');
    await annotate(foo, 'f', 'true', suspendAnnotation);
    await place.api.scale(deployment, 'a', 4);
    await place.resync();
    expect(await conditionOf('Suspended')).toMatchObject({ status: 'True' });
    expect(await drifted()).toBeUndefined();
    await annotate(foo, 'f', null, suspendAnnotation);
    await place.resync();
    expect(await drifted()).toMatchObject({ status: 'True' });
  });

  test('is compared by dry runs after a change of the code, and takes no slot in a rollout', async () => {
    const shelf = (image: string): Kind =>
      defineKind({
        group: 'example.org',
        version: 'v1',
        kind: 'Depot',
        plural: 'depots',
        spec: Type.Object({}),
        samples: [{ name: 'north', spec: {} }],
        owns: [deployment, configMap],
        children: ({ name }) => [
          child(deployment, {
            name,
            body: {
              spec: {
                selector: { matchLabels: { app: name } },
                template: {
                  metadata: { labels: { app: name } },
                  spec: { containers: [{ name: 'a', image }] },
                },
              },
            },
          }),
        ],
      });
    const rollout = { budget: () => 1, timeoutMs: 600_000, failures: 0 };
    const run = (image: string) => engine.run({}, { ...only([shelf(image)]), rollout });
    const only = (kinds: readonly Kind[]) => ({ kinds, namespaces: [place.namespace] });
    for (const name of ['one', 'two']) await place.api.create(shelf('a:1'), name, { spec: {} });
    await run('a:1');
    await settle();
    await run('a:1');
    await annotate(depot, 'one');
    const seen = await written(async () => {
      for (let runs = 0; runs < 3; runs++) {
        await run('a:2');
        await settle();
      }
    });
    expect(seen.filter((one) => one === 'deployments')).toHaveLength(1);
    expect((await drifted(depot, 'one'))?.message).toContain('image "a:1" → "a:2"');
    expect(await conditionOf('RolloutPending', depot, 'one')).toBeUndefined();
    expect(await conditionOf('RolloutPending', depot, 'two')).toMatchObject({
      reason: 'RolledOut',
    });
  });
});
