import { beforeEach, describe, expect, test } from 'vitest';
import type { Cluster } from '../../shared/cluster/cluster.ts';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { type PreviewOptions, previewResource, previewRun } from '../../shared/preview/preview.ts';
import type { LiveWorld } from '../../shared/run/run.ts';
import { foo } from '../../systems/foo.ts';
import { eachCall } from './calls.ts';
import { type RunParts, runWith } from './run-with.ts';
import { nowMs } from './step-world.ts';
import { usePlace, useStepWorld } from './use-engine.ts';

const world = useStepWorld([foo]);
const place = usePlace(world);
let known: LiveWorld;
let calls: string[];
beforeEach(async () => {
  calls = [];
  await place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
  known = (await world.begin(place, foo, 'f')).world;
});

const cluster = (act: (what: string) => Promise<unknown> = async () => undefined): Cluster =>
  eachCall(world.run.cluster, async (what, call) => {
    calls.push(what);
    await act(what);
    return call();
  });
const preview = (run: Partial<RunParts> = {}) =>
  previewResource(runWith(world.run, { cluster: cluster(), ...run }), known);
const foreign: JsonObject = {
  spec: {
    selector: { matchLabels: { app: 'a' } },
    template: {
      metadata: { labels: { app: 'a' } },
      spec: { containers: [{ name: 'a', image: 'nginx:1' }] },
    },
  },
};

describe('the plan for a resource', () => {
  test('creates a child that does not exist when read by name', async () => {
    const found = await preview();
    expect(found?.planned).toMatchObject({ state: 'planned', decisions: [{ verb: 'create' }] });
    expect(calls).toEqual(['get Deployment a']);
  });

  test('contains a child that exists after all, and reads the resource again', async () => {
    await place.api.create(deployment, 'a', foreign);
    await place.api.patch(foo, 'f', { spec: { replicas: 3 } });
    known.reads.set('reference', {});
    const found = await preview();
    expect(known.reads.size).toBe(0);
    expect(found?.planned).toMatchObject({ decisions: [{ verb: 'block' }] });
    expect(known.resource.generation).toBe(2);
    expect(calls).toEqual(['get Deployment a', 'get Foo f']);
  });

  test('is undefined if the resource no longer exists', async () => {
    await place.api.create(deployment, 'a', foreign);
    await place.api.remove(foo, 'f');
    expect(await preview()).toBeUndefined();
  });

  test('is that of the fifth attempt if an object changes during each', async () => {
    let nth = 0;
    const spec = () => ({ spec: { deploymentName: `a${++nth}` } });
    const found = await preview({
      cluster: cluster(async (what) => {
        if (what.startsWith('get Deployment'))
          await place.api.create(deployment, what.split(' ')[2]!, foreign);
        if (what === 'get Foo f') await place.api.patch(foo, 'f', spec());
      }),
    });
    expect(calls).toHaveLength(2 * 5);
    expect(found?.planned).toMatchObject({
      decisions: [{ verb: 'create', child: { name: 'a5' } }],
    });
  });

  test('dry-runs the apply of a child that is not up to date, without a read', async () => {
    await place.resync({ kinds: [foo] });
    await place.api.scale(deployment, 'a', 5);
    known = (await world.begin(place, foo, 'f')).world;
    expect((await preview())?.planned).toMatchObject({ decisions: [{ verb: 'update' }] });
    expect(calls).toEqual(['dry-run apply Deployment a']);
  });
});

describe('a preview', () => {
  const options = {
    area: { kinds: [foo], namespaces: undefined },
    concurrency: 2,
    pruneLimit: () => 10,
  };
  const previewed = (run: Partial<RunParts> = {}, more: Partial<PreviewOptions> = {}) =>
    previewRun(
      runWith(world.run, { cluster: cluster(), ...run }),
      [{ namespace: place.namespace }],
      {
        ...options,
        ...more,
      },
    );

  test('contains each resource that needs work', async () => {
    await place.resync({ kinds: [foo], now: () => new Date(nowMs) });
    await place.api.create(foo, 'g', { spec: { deploymentName: 'b', replicas: 1 } });
    const found = await previewed();
    expect(found.preview).toMatchObject({
      total: 2,
      idle: { suspended: 0, deleting: 0 },
      pruning: 'allowed',
      incomplete: [],
      resources: [
        {
          kind: 'Foo',
          resource: 'foos.example.com',
          name: 'g',
          state: 'planned',
          namespace: place.namespace,
          actions: [{ verb: 'create', child: { name: 'b' } }],
        },
      ],
    });
    expect(found.work.map(({ resource }) => resource.name)).toEqual(['g']);
    expect(found.readAt).toBe(nowMs);
    // Counts the checks, the create, its Event and the status.
    const [one] = found.preview.resources;
    const requests = [...one!.actions.flatMap(({ requests }) => requests), ...one!.commit];
    expect(found.preview.requests.toPerform).toBe(requests.length);
  });

  test('reports each resource as soon as it is planned', async () => {
    await place.api.create(foo, 'g', { spec: { deploymentName: 'b', replicas: 1 } });
    const progress: (readonly [number, number])[] = [];
    const onProgress = (done: number, of: number) => progress.push([done, of]);
    await previewed({ observer: { onProgress } });
    expect(progress).toEqual([
      [1, 2],
      [2, 2],
    ]);
  });

  test('gives the reason for a resource that cannot be planned, and changes no child of it', async () => {
    const lost = async (what: string) => {
      if (what.startsWith('get Foo')) throw new Error('lost');
    };
    await place.api.create(deployment, 'a', foreign);
    const found = await previewed({ cluster: cluster(lost) });
    expect(found.preview.resources).toEqual([
      {
        kind: 'Foo',
        resource: 'foos.example.com',
        namespace: place.namespace,
        name: 'f',
        uid: known.resource.uid,
        resourceVersion: known.resource.resourceVersion,
        generation: 1,
        state: 'failed',
        message: 'lost',
        actions: [],
        events: [],
        commit: [],
      },
    ]);
    expect(found.work).toEqual([]);
  });

  test('omits resources that meanwhile are gone or being deleted', async () => {
    await place.api.create(deployment, 'a', foreign);
    const gone = async (what: string) => {
      if (what === 'get Deployment a') await place.api.remove(foo, 'f');
    };
    expect((await previewed({ cluster: cluster(gone) })).preview.resources).toEqual([]);
    await place.api.create(foo, 'g', { spec: { deploymentName: 'a' } });
    await place.api.patch(foo, 'g', { metadata: { finalizers: ['example.org/kept'] } });
    const leaves = async (what: string) => {
      if (what === 'get Deployment a') await place.api.remove(foo, 'g');
    };
    const { preview, work } = await previewed({ cluster: cluster(leaves) });
    expect(preview.resources).toEqual([]);
    expect(work).toEqual([]);
  });

  test('names a type of children that could not be listed, and changes none of them', async () => {
    const fails = async (what: string) => {
      if (what === 'list deployments') throw new Error('lost');
    };
    const { preview } = await previewed({ cluster: cluster(fails) });
    expect(preview).toMatchObject({
      resources: [{ actions: [{ verb: 'fail', message: 'lost', requests: [] }] }],
      incomplete: [{ kind: 'deployments.apps', error: 'lost', transient: true, ofChildren: true }],
    });
  });
});
