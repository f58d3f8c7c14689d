import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { service } from '../../shared/kinds/child-types/core.ts';
import type { JsonObject } from '../../shared/kubernetes.ts';
import { website } from '../../systems/website.ts';
import { faultsIn, look } from '../reconcile/desired.ts';
import { isWriteRequest, type Place, type Settings } from '../reconcile/engine.ts';
import { useEngine } from '../reconcile/use-engine.ts';
import type { Api } from '../scenarios/api.ts';
import { effort, testTimeoutMs } from './runs.ts';

let now = new Date('2026-01-01T00:00:00Z').getTime();
const engine = useEngine({ controllers: 'paused', clock: () => new Date(now) });

const rival = { manager: 'rival' };
const setImage = (image: string) => (api: Api) =>
  api.patch(
    deployment,
    'shop',
    { spec: { template: { spec: { containers: [{ name: 'nginx', image }] } } } },
    { as: 'strategic', ...rival },
  );
const label = (value: JsonObject[string]) => ({
  metadata: { labels: { 'app.kubernetes.io/part-of': value } },
});
const cleared = { metadata: { managedFields: [{}] } };

/** Changes that others make repeatedly to children of a Website. */
const actions: Readonly<Record<string, (api: Api) => Promise<unknown>>> = {
  'deployments: scaled': (api) => api.scale(deployment, 'shop', 5),
  'deployments: scaled to zero': (api) => api.scale(deployment, 'shop', 0),
  'deployments: image set': setImage('theirs:1'),
  'deployments: deleted': (api) => api.remove(deployment, 'shop'),
  'deployments: label removed': (api) => api.patch(deployment, 'shop', label(null), rival),
  'deployments: managers cleared': (api) => api.patch(deployment, 'shop', cleared, rival),
  'services: selector set': (api) =>
    api.patch(service, 'shop', { spec: { selector: { website: 'theirs' } } }, rival),
  'services: deleted': (api) => api.remove(service, 'shop'),
  'services: label set': (api) => api.patch(service, 'shop', label('theirs'), rival),
};

const action = fc.constantFrom(...Object.keys(actions));
const stage = fc.record({
  /** The actions of the writers, in order. */
  rivals: fc.uniqueArray(action, { minLength: 1, maxLength: 3 }),
  trigger: fc.constantFrom('audit' as const, 'later' as const, 'request' as const),
  /** True if the newest generation cannot be acted on, because an unwanted child is still being deleted. */
  isHeldUp: fc.boolean(),
  /** How far the clock of the functions is ahead of the API server's, in milliseconds. */
  skew: fc.constantFrom(0, 120_000, -120_000),
});

/** Applies an edit except for a deletion that a finalizer holds. */
async function holdUp({ api, resync }: Place, settings: Pick<Settings, 'now'>): Promise<void> {
  const { apiVersion, kind, metadata } = await api.get(website, 'shop');
  const live = await api.get(deployment, 'shop');
  const { name, uid } = metadata;
  await api.create(deployment, 'old', {
    metadata: {
      labels: live.metadata.labels ?? {},
      finalizers: ['other/hold'],
      ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
    },
    spec: live.spec ?? {},
  });
  await api.patch(website, 'shop', { spec: { imageTag: '2' } });
  await resync(settings);
  const { status, metadata: edited } = await api.get(website, 'shop');
  expect(status?.observedGeneration).toBeLessThan(edited.generation ?? 0);
}

const rounds = 5;

test(
  'law 12 a change that is made repeatedly is reverted once, and once at each resync',
  () =>
    fc.assert(
      fc.asyncProperty(stage, async ({ rivals, trigger, isHeldUp, skew }) => {
        now += 600_000;
        const place = await engine.place();
        const skewed = { now: () => new Date(now + skew) };
        const spec = { imageTag: '1', nodePort: place.nodePort() };
        await place.api.create(website, 'shop', { spec });
        await place.resync(skewed);
        await place.resync(skewed);
        if (isHeldUp) await holdUp(place, skewed);
        now += 60_000;
        const written = (): readonly string[] =>
          place
            .requests()
            .filter((one) => isWriteRequest(one) && one.status < 300)
            .map(({ resource }) => resource);
        const count = (resource: string): number =>
          written().filter((one) => one === resource).length;
        const fight = async (): Promise<void> => {
          for (let round = 0; round < rounds; round++) {
            for (const one of rivals) {
              await actions[one]?.(place.api).catch(() => undefined);
              now += 500;
              await place.resync({ trigger, ...skewed });
            }
          }
        };
        // Allows each writer one more repair after the child was recreated, and two writes for cleared managedFields.
        const most = (resource: string): number =>
          2 * rivals.filter((one) => one.startsWith(resource)).length;
        const before = { deployments: count('deployments'), services: count('services') };
        const events = count('events');
        await fight();
        for (const type of ['deployments', 'services'] as const)
          expect(count(type) - before[type], type).toBeLessThanOrEqual(most(type));
        expect(count('events') - events).toBeLessThanOrEqual(2 * rivals.length);
        now += 500;
        await place.resync(skewed);
        expect(faultsIn(await look(place.api))).toEqual([]);
      }),
      effort(60),
    ),
  testTimeoutMs,
);
