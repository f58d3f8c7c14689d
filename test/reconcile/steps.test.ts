import { beforeEach, describe, expect, test } from 'vitest';
import {
  child,
  configMap,
  defineKind,
  deployment,
  job,
  type Need,
  secret,
  Type,
} from '../../index.ts';
import { effectText, impactTotals } from '../../infra/actions/impact-text.ts';
import { changeOf } from '../../infra/cli/plan/plan-table.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { eventType } from '../../shared/plan/status/kubernetes-events.ts';
import { previewRun } from '../../shared/preview/preview.ts';
import { plannedWebsite } from '../cli/planned-website.ts';
import { isWriteRequest, type Place } from './engine.ts';
import { openRecordedPreview, previewOptions } from './recorded-preview.ts';
import { useEngine } from './use-engine.ts';

/** The API server completes its value, which it treats as one. */
const env = [{ name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }];
const podOf = (image: string) => ({
  restartPolicy: 'Never' as const,
  containers: [{ name: 'a', image }],
});

/** A blog whose database is migrated before its Deployment gets a new image, and tested afterwards. */
const blog = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Blog',
  plural: 'blogs',
  spec: Type.Object({
    image: Type.String(),
    step: Type.Union([Type.Literal('once'), Type.Literal('each-time')]),
  }),
  samples: [{ name: 'news', spec: { image: 'one', step: 'once' } }],
  owns: [configMap, deployment, job, secret],
  children({ name, spec: { image, step } }) {
    const migrate = { type: job, name: `${name}-migrate-${image}`, step };
    const web: Need = { type: deployment, name, until: 'ready' };
    return [
      child(job, { ...migrate, body: { spec: { template: { spec: podOf(image) } } } }),
      child(deployment, {
        name,
        needs: [migrate],
        body: {
          spec: {
            replicas: 2,
            selector: { matchLabels: { app: name } },
            template: {
              metadata: { labels: { app: name } },
              spec: { containers: [{ name: 'a', image, env }] },
            },
          },
        },
      }),
      child(configMap, { name: `${name}-live`, needs: [web], body: { data: { image } } }),
      child(secret, { name, needs: [migrate], body: { data: { a: 'YQ==' } } }),
      child(configMap, { name: `${name}-settings`, body: { data: { a: 'b' } } }),
    ];
  },
});

const trial = defineKind({
  group: 'example.org',
  version: 'v1',
  kind: 'Trial',
  plural: 'trials',
  spec: Type.Object({}),
  samples: [{ name: 'one', spec: {} }],
  owns: [job],
  children: ({ name }) => [
    child(job, { name, step: 'once', body: { spec: { template: { spec: podOf('a') } } } }),
  ],
});

const engine = useEngine({ controllers: 'paused', install: [blog, trial] });
let place: Place;
beforeEach(async () => {
  place = await engine.place([blog]);
  await place.api.create(blog, 'news', { spec: { image: 'one', step: 'once' } });
});

const settled = async (): Promise<void> => {
  engine.cluster.controllers.resume();
  await engine.cluster.controllers.settled();
  engine.cluster.controllers.pause();
};
/** Runs until a run writes nothing. */
async function complete(): Promise<void> {
  for (let runs = 0; runs < 6; runs++) {
    await place.resync();
    await settled();
  }
}
const imageOf = async (): Promise<string | undefined> => {
  const live = (await place.api.find(deployment, 'news')) as unknown as
    | { spec: { template: { spec: { containers: readonly [{ image: string }] } } } }
    | undefined;
  return live?.spec.template.spec.containers[0].image;
};
const jobs = async () => (await place.api.list(job)).map(({ metadata }) => metadata.name);
const isLive = async (): Promise<boolean> =>
  (await place.api.find(configMap, 'news-live')) !== undefined;
const ready = async () =>
  (await place.api.get(blog, 'news')).status?.conditions?.find(({ type }) => type === 'Ready');
const edit = (spec: JsonObject) => place.api.patch(blog, 'news', { spec });
const createdJobs = (): readonly string[] =>
  place
    .requests()
    .filter(
      ({ verb, resource, status }) => verb === 'patch' && resource === 'jobs' && status === 201,
    )
    .map(({ name }) => name ?? '');

describe('a step', () => {
  test('is complete before children that need it are written, and before the resource is Ready', async () => {
    await place.resync();
    expect(await jobs()).toEqual(['news-migrate-one']);
    expect(await imageOf()).toBeUndefined();
    expect(await place.api.find(configMap, 'news-settings')).toBeDefined();
    expect(await ready()).toMatchObject({
      status: 'False',
      reason: 'DependencyPending',
      message:
        'Deployment news waits for Job news-migrate-one; ConfigMap news-live waits for Deployment news; Secret news waits for Job news-migrate-one; Job news-migrate-one: not complete yet',
    });
    await settled();
    await place.resync();
    expect(await imageOf()).toBe('one');
    expect(await isLive()).toBe(false);
    await settled();
    await place.resync();
    expect(await isLive()).toBe(true);
    await complete();
    expect(await ready()).toMatchObject({ status: 'True' });
  });

  test('delays the creation of a deleted child with new fields, and the condition says that it was deleted', async () => {
    await complete();
    await edit({ image: 'two' });
    await place.resync();
    expect((await ready())?.message).toContain('Deployment news waits for Job news-migrate-two');
    await place.api.remove(deployment, 'news');
    // The second run learns of the deletion only from the status.
    for (let runs = 0; runs < 2; runs++) {
      await place.resync();
      expect((await ready())?.message).toContain(
        'Deployment news was deleted, and waits for Job news-migrate-two',
      );
    }
    await complete();
    expect(await imageOf()).toBe('two');
    expect(await ready()).toMatchObject({ status: 'True' });
  });

  test('delays a change of children that need it, while other children are repaired', async () => {
    await complete();
    await edit({ image: 'two' });
    await place.api.remove(configMap, 'news-settings');
    await place.resync();
    expect(await jobs()).toEqual(['news-migrate-one', 'news-migrate-two']);
    expect(await imageOf()).toBe('one');
    expect(await place.api.find(configMap, 'news-settings')).toBeDefined();
    await complete();
    expect(await imageOf()).toBe('two');
    expect(await jobs()).toEqual(['news-migrate-two']);
    expect(await ready()).toMatchObject({ status: 'True' });
  });

  describe('while it delays a change', () => {
    beforeEach(async () => {
      await complete();
      await edit({ image: 'two' });
      await place.resync();
    });
    const web = () => place.api.get(deployment, 'news');

    test('a child that needs it gets back fields on which the old and the new version agree', async () => {
      await place.api.scale(deployment, 'news', 5);
      await place.resync();
      expect((await web()).spec).toMatchObject({ replicas: 2 });
      expect(await imageOf()).toBe('one');
      expect(await ready()).toMatchObject({
        reason: 'DependencyPending',
        message: expect.stringMatching(/^Deployment news waits for Job news-migrate-two; /),
      });
      expect((await place.api.get(blog, 'news')).status).toMatchObject({ observedGeneration: 1 });
      const { data } = await place.api.get(configMap, 'news-live');
      expect(data).toEqual({ image: 'one' });
      const events = await place.api.list(eventType);
      expect(events.map(({ message }) => message)).toContainEqual(
        expect.stringMatching(/^Deployment news: spec\.replicas 5 → 2, changed by /),
      );
      const begun = place.requests().length;
      await place.resync();
      expect(place.requests().slice(begun).filter(isWriteRequest)).toEqual([]);
      await complete();
      expect(await imageOf()).toBe('two');
      expect(await ready()).toMatchObject({ status: 'True' });
    });

    test.each([
      ['removed', 1, () => place.api.patch(deployment, 'news', { spec: { replicas: null } })],
      ['scaled to zero, which no manager has', 0, () => place.api.scale(deployment, 'news', 0)],
    ])('a field that another writer %s is set again', async (_, replicas, disturb) => {
      await disturb();
      expect((await web()).spec).toMatchObject({ replicas });
      await place.resync();
      expect((await web()).spec).toMatchObject({ replicas: 2 });
      expect(await imageOf()).toBe('one');
    });

    test('nothing is repaired if another writer changed a field that the new version changes, too, and a condition names the writers', async () => {
      const containers = [{ name: 'a', image: 'three', env }];
      await place.api.patch(deployment, 'news', { spec: { template: { spec: { containers } } } });
      await place.api.scale(deployment, 'news', 5);
      const begun = place.requests().length;
      for (let runs = 0; runs < 2; runs++) {
        await place.resync();
        expect(await imageOf()).toBe('three');
        expect((await web()).spec).toMatchObject({ replicas: 5 });
        expect((await ready())?.message).toMatch(
          /^Deployment news waits for Job news-migrate-two and keeps spec\.replicas of \S+, spec\.template\.\S+image of \S+ until then; /,
        );
      }
      const written = place.requests().slice(begun).filter(isWriteRequest);
      expect(written.map(({ resource }) => resource)).not.toContain('deployments');
      await complete();
      expect(await imageOf()).toBe('two');
      expect((await web()).spec).toMatchObject({ replicas: 2 });
    });
  });

  const fail = async (): Promise<void> => {
    const failed = {
      type: 'Failed',
      status: 'True',
      reason: 'BackoffLimitExceeded',
      message: 'Job has reached the specified backoff limit',
      lastTransitionTime: '2026-11-25T12:00:00Z',
      lastProbeTime: '2026-11-25T12:00:00Z',
    };
    const { status } = await place.api.get(job, 'news-migrate-two');
    await place.api.patch(
      job,
      'news-migrate-two',
      {
        status: {
          ...status,
          startTime: '2026-11-25T12:00:00Z',
          active: 0,
          failed: 7,
          conditions: [{ ...failed, type: 'FailureTarget' }, failed],
        },
      },
      { subresource: 'status' },
    );
  };

  /** Returns what a plan shows of the Deployment. */
  const planned = async () => {
    const recorded = openRecordedPreview(engine);
    const options = { ...previewOptions, area: { kinds: [blog], namespaces: undefined } };
    const { preview } = await previewRun(
      recorded.begin(),
      [{ namespace: place.namespace }],
      options,
    );
    await recorded.close();
    return preview.resources[0]?.actions.find(({ child }) => child.kind === 'Deployment');
  };

  test('is followed by changes that a plan shows next to a repair', async () => {
    await complete();
    await edit({ image: 'two' });
    await place.resync();
    await place.api.scale(deployment, 'news', 5);
    const repair = await planned();
    expect(repair).toMatchObject({
      verb: 'update',
      differences: [{ path: 'spec.replicas', from: 5, to: 2 }],
      impact: ['reduce'],
      later: { verb: 'update', differences: [{ from: 'one', to: 'two' }], impact: ['restart'] },
    });
    expect(repair && changeOf(repair).at(-1)).toMatch(
      /^later: spec\.template\.\S+image "one" → "two"$/,
    );
    expect(repair && effectText(repair)).toBe('reduces availability; later: restarts pods');
    expect(
      impactTotals({ resources: [plannedWebsite({ actions: repair ? [repair] : [] })] }),
    ).toEqual(['reduces availability: 1 Deployment', 'later: restarts pods: 1 Deployment']);
  });

  test('is followed by changes that a plan shows', async () => {
    await complete();
    await edit({ image: 'two' });
    const later = await planned();
    expect(later).toMatchObject({ verb: 'wait', requests: [] });
    expect(later?.message).toMatch(/^Deployment news waits for Job news-migrate-two$/);
    expect(later?.differences).toEqual([]);
    expect(later).not.toHaveProperty('impact');
    expect(later?.later).toMatchObject({
      verb: 'update',
      differences: [{ from: 'one', to: 'two' }],
      origin: 'edit',
      impact: ['restart'],
    });
    expect(later && changeOf(later)).toEqual([
      expect.stringMatching(/^DependencyPending: /),
      expect.stringMatching(/^later: spec\.template\.\S+image "one" → "two"$/),
    ]);
    expect(later && effectText(later)).toBe('later: restarts pods');
  });

  test('that fails stops children that need it, and the condition has its message', async () => {
    await complete();
    await edit({ image: 'two' });
    await place.resync();
    await fail();
    await place.resync();
    expect(await imageOf()).toBe('one');
    expect(await ready()).toMatchObject({
      status: 'False',
      reason: 'BackoffLimitExceeded',
      message: expect.stringContaining('Job has reached the specified backoff limit'),
    });
    // What another writer changes is in the condition, too.
    const containers = [{ name: 'a', image: 'three', env }];
    await place.api.patch(deployment, 'news', { spec: { template: { spec: { containers } } } });
    await place.resync();
    expect(await imageOf()).toBe('three');
    expect(await ready()).toMatchObject({
      reason: 'BackoffLimitExceeded',
      message: expect.stringMatching(
        /specified backoff limit; Deployment news waits for .* and keeps spec\.template\S+image of \S+ until then; ConfigMap news-live waits for Deployment news(;|$)/,
      ),
    });
  });

  test('that is complete cannot help a child that needs a foreign one, and the condition names both', async () => {
    await complete();
    await place.api.patch(deployment, 'news', { metadata: { ownerReferences: null } });
    await place.api.remove(configMap, 'news-live');
    // The second run reads the children by name, because it knows of a foreign one.
    for (let runs = 0; runs < 3; runs++) {
      await place.resync();
      expect(await place.api.find(configMap, 'news-live')).toBeUndefined();
      expect(await ready()).toMatchObject({
        reason: 'ErrResourceExists',
        message: expect.stringMatching(
          /; ConfigMap news-live was deleted, and waits for Deployment news$/,
        ),
      });
    }
  });

  test.each([
    ['once', ['news-migrate-one', 'news-migrate-two']],
    ['each-time', ['news-migrate-one', 'news-migrate-two', 'news-migrate-one']],
  ])('that runs %s, after a return to earlier fields', async (step, want) => {
    await edit({ step });
    await complete();
    await edit({ image: 'two' });
    await complete();
    await edit({ image: 'one' });
    await complete();
    expect(await imageOf()).toBe('one');
    expect(createdJobs()).toEqual(want);
    expect(await ready()).toMatchObject({ status: 'True' });
  });

  test.each([
    { step: 'once', completes: false, again: [] },
    { step: 'once', completes: true, again: [] },
    { step: 'each-time', completes: false, again: ['news-migrate-one'] },
    { step: 'each-time', completes: true, again: ['news-migrate-one'] },
  ])(
    'that runs $step, after a return to fields whose Job still exists (completes: $completes)',
    async ({ step, completes, again }) => {
      await edit({ step });
      await complete();
      await edit({ image: 'two' });
      await place.resync();
      if (completes) {
        await settled();
        await place.resync();
      }
      expect(await jobs()).toEqual(['news-migrate-one', 'news-migrate-two']);
      expect((await place.api.get(blog, 'news')).status?.lastApplied?.completed).toHaveLength(1);
      await edit({ image: 'one' });
      await place.resync();
      if (step === 'each-time') expect(await ready()).toMatchObject({ status: 'False' });
      await complete();
      expect(createdJobs()).toEqual(['news-migrate-one', 'news-migrate-two', ...again]);
      expect(await jobs()).toEqual(['news-migrate-one']);
      expect(await ready()).toMatchObject({ status: 'True' });
      await edit({ step: 'each-time' });
      await complete();
      expect(createdJobs()).toEqual(['news-migrate-one', 'news-migrate-two', ...again]);
    },
  );

  test.each([
    ['once', 1],
    ['each-time', 1],
  ])('that runs %s, after its Job was deleted', async (step, runs) => {
    await edit({ step });
    await complete();
    await place.api.remove(job, 'news-migrate-one');
    await complete();
    expect(createdJobs()).toHaveLength(runs);
    expect(await ready()).toMatchObject({ status: 'True' });
  });

  test('does not delay repairs of children that were applied after it', async () => {
    await edit({ step: 'each-time' });
    await complete();
    await place.api.remove(job, 'news-migrate-one');
    await place.api.remove(deployment, 'news');
    await place.api.remove(secret, 'news');
    await place.resync();
    expect(await imageOf()).toBe('one');
    expect(await place.api.find(secret, 'news')).toBeDefined();
  });

  test('lets a repair wait only for a needed child that is blocked, as A-5 demands', async () => {
    await complete();
    const { spec } = (await place.api.get(deployment, 'news')) as unknown as { spec: JsonObject };
    await place.api.remove(deployment, 'news');
    await place.api.create(deployment, 'news', { spec });
    await place.api.patch(configMap, 'news-live', { data: { image: 'other' } });
    await place.resync();
    expect(await ready()).toMatchObject({ status: 'False', reason: 'ErrResourceExists' });
    const live = async () => (await place.api.get(configMap, 'news-live')).data;
    expect(await live()).toEqual({ image: 'other' });
    await place.api.remove(deployment, 'news');
    await place.resync();
    expect(await live()).toEqual({ image: 'one' });
  });

  test('that was complete is not run again after the status was lost', async () => {
    await complete();
    await place.api.patch(blog, 'news', { status: null }, { subresource: 'status' });
    await complete();
    expect(createdJobs()).toEqual(['news-migrate-one']);
    expect(await ready()).toMatchObject({ status: 'True' });
  });

  test('that no child needs is complete before the resource is Ready', async () => {
    place = await engine.place([trial]);
    await place.api.create(trial, 'one', { spec: {} });
    const readyOf = async () =>
      (await place.api.get(trial, 'one')).status?.conditions?.find(({ type }) => type === 'Ready');
    for (let runs = 0; runs < 2; runs++) {
      await place.resync();
      expect(await readyOf()).toMatchObject({
        reason: 'Progressing',
        message: 'Job one: not complete yet',
      });
    }
    await settled();
    await place.resync();
    expect(await readyOf()).toMatchObject({ status: 'True' });
  });

  test('that another controller has suspended is reported as suspended', async () => {
    place = await engine.place([trial]);
    await place.api.create(trial, 'one', { spec: {} });
    await place.resync();
    await place.api.patch(job, 'one', { spec: { suspend: true } });
    await place.resync();
    const { status } = await place.api.get(trial, 'one');
    expect(status?.conditions?.find(({ type }) => type === 'Ready')).toMatchObject({
      reason: 'Progressing',
      message: 'Job one: suspended',
    });
  });
});
