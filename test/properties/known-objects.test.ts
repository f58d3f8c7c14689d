import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { configMap } from '../../shared/kinds/child-types/core.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { RolloutPolicy } from '../../shared/plan/rollout.ts';
import { type KnownLists, openKnownLists } from '../../shared/reconcile/known-objects.ts';
import { openMemory } from '../../shared/reconcile/memory-budget.ts';
import { survey } from '../../shared/reconcile/survey.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import type { Place } from '../reconcile/engine.ts';
import { openStepWorld, type StepWorld } from '../reconcile/step-world.ts';
import { shop } from '../support/shop.ts';
import { disturb, disturbances, permitted } from './disturb.ts';
import { effort, testTimeoutMs } from './runs.ts';

const rollout: RolloutPolicy = { budget: () => 1, timeoutMs: 600_000, failures: 0 };
const kinds: readonly Kind[] = [foo, website, shop];

let world: StepWorld;
beforeAll(async () => {
  world = await openStepWorld(kinds);
});
afterAll(() => world.stop());

type Change = (place: Place, known: KnownLists) => Promise<unknown>;

const suspended = (value: string | null) => ({
  metadata: { annotations: { 'serverless-reconciler/suspend': value } },
});
const status = { subresource: 'status' } as const;

const marked =
  (value: string, reason: string): Change =>
  ({ api }) => {
    const mark = { type: 'RolloutPending', status: value, reason, message: 'by a test' };
    const condition = { ...mark, lastTransitionTime: '2026-11-22T11:00:00Z' };
    const added = [{ op: 'add', path: '/status/conditions/-', value: condition }];
    return api.patch(foo, 'f', added, { as: 'json', ...status });
  };

/** Changes of resources: by their authors, and of what runs write by others. */
const ofResources: Readonly<Record<string, Change>> = {
  'a Foo created': ({ api }) =>
    api.create(foo, 'new', { spec: { deploymentName: 'new', replicas: 1 } }),
  'a Foo edited': ({ api }) => api.patch(foo, 'f', { spec: { replicas: 3 } }),
  'a Foo renames its child': ({ api }) =>
    api.patch(foo, 'f', { spec: { deploymentName: 'renamed' } }),
  'a Foo deleted': ({ api }) => api.remove(foo, 'g'),
  'a Foo suspended': ({ api }) => api.patch(foo, 'f', suspended('true')),
  'a Foo resumed': ({ api }) => api.patch(foo, 'f', suspended(null)),
  'a Foo held by a finalizer, and deleted': async ({ api }) => {
    await api.patch(foo, 'g', { metadata: { finalizers: ['other/hold'] } });
    await api.remove(foo, 'g');
  },
  'a Foo labelled': ({ api }) => api.patch(foo, 'g', { metadata: { labels: { a: 'b' } } }),
  'a status emptied': ({ api }) =>
    api.patch(foo, 'f', [{ op: 'remove', path: '/status' }], { as: 'json', ...status }),
  'a status overwritten': ({ api }) =>
    api.patch(website, 'w', { status: { observedGeneration: 0 } }, status),
  'a Foo waits in a rollout': marked('True', 'Waiting'),
  'a Foo is changed in a rollout, and not ready': async (place, known) => {
    const unavailable = { status: { conditions: null, availableReplicas: 0, readyReplicas: 0 } };
    await place.api.patch(deployment, 'f', unavailable, status);
    await place.tick({ kinds });
    await marked('True', 'RollingOut')(place, known);
  },
  'a Foo is done with a rollout': marked('False', 'RolledOut'),
  'a Website edited': ({ api }) => api.patch(website, 'w', { spec: { imageTag: '2' } }),
  'a ConfigMap that is read edited': ({ api }) =>
    api.patch(configMap, 'settings', { data: { tag: 'changed' } }),
  'a tick': (place, known) => place.tick({ kinds, known }),
  'a tick that settles': (place, known) =>
    place.tick({ kinds, known, settleSeconds: 1, wait: async () => undefined }),
  'two ticks at once, one of this process': (place, known) =>
    Promise.all([place.tick({ kinds, known }), place.tick({ kinds })]),
};

const changeOfChild =
  (kind: string, name: string): Change =>
  async ({ api }) => {
    const type = kinds.flatMap(({ owns }) => owns).find((one) => one.kind === kind);
    const lives = type === undefined ? [] : await api.list(type);
    const [live] = lives;
    if (live !== undefined) await disturb(api, { ...live, kind }, name);
  };

const changes: Readonly<Record<string, Change>> = {
  ...ofResources,
  ...Object.fromEntries(
    Object.entries(disturbances).flatMap(([kind, all]) =>
      Object.keys(all).map((name) => [`a ${kind}: ${name}`, changeOfChild(kind, name)]),
    ),
  ),
};

async function begin(): Promise<Place> {
  const place = await world.place();
  const { api } = place;
  for (const name of ['f', 'g'])
    await api.create(foo, name, { spec: { deploymentName: name, replicas: 1 } });
  await api.create(website, 'w', { spec: { imageTag: '1', nodePort: place.nodePort() } });
  await api.create(configMap, 'settings', { data: { tag: '1' } });
  await api.create(shop, 's', { spec: { settings: 'settings' } });
  await place.tick({ kinds });
  await place.tick({ kinds });
  return place;
}

test(
  'a survey finds with what is known what it finds without, whatever has changed since',
  async () => {
    const names = fc.constantFrom(...Object.keys(changes));
    const story = fc.array(names, { minLength: 1, maxLength: 6 });
    const property = fc.asyncProperty(story, async (steps) => {
      const place = await begin();
      const area = { kinds, namespaces: [place.namespace], name: undefined };
      const known = openKnownLists(openMemory()('known'));
      const surveyed = (more: object) =>
        survey({ ...world.run, rollout, memoryBudget: openMemory()('local'), ...more }, area);
      expect(await surveyed({ known })).toEqual(await surveyed({}));
      for (const step of steps) {
        await permitted(Promise.resolve(changes[step]?.(place, known)));
        expect(await surveyed({ known })).toEqual(await surveyed({}));
      }
    });
    await fc.assert(property, effort(200));
  },
  testTimeoutMs,
);
