import { describe, expect, test } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { condition } from '../scenarios/resources.ts';
import { engineUser, type Place } from './engine.ts';
import { useEngine } from './use-engine.ts';

const engine = useEngine({ controllers: 'paused' });

const birth = (place: Place, name: string) =>
  place.api.create(foo, name, { spec: { deploymentName: name, replicas: 1 } });

/** Creates edited resources whose writes hang or fail, enough to fill each of two slots three times. */
const bad = Array.from({ length: 6 }, (_, at) => `bad-${at}`);
const effects = [
  ['hangs', { kind: 'delay', ms: 60_000 }],
  ['gets a 429 with a Retry-After of one minute', { kind: 'status', code: 429, retryAfter: 60 }],
  ['loses its connection', { kind: 'drop', when: 'before' }],
] as const;

const runs = [
  ['resync', effects],
  ['audit', effects.slice(0, 1)],
] as const;

// Runs the cases concurrently, because they mostly wait. Together they hang in fewer requests than there are
// sockets.
describe.concurrent.each(runs)('C-11 many failing resources (%s)', (trigger, met) => {
  test.each(met)(
    'delay no other resource if each write of their children %s',
    async (_, effect) => {
      const place = await engine.place();
      await birth(place, 'drifted');
      await place.resync();
      await place.api.scale(deployment, 'drifted', 5);
      for (const name of [...bad, 'fresh']) await birth(place, name);
      for (const name of bad) {
        const { namespace } = place;
        engine.cluster.faults.add({
          user: engineUser,
          namespace,
          verb: 'patch',
          resource: 'deployments',
          name,
          effect,
        });
      }
      const begun = Date.now();
      const report = await place.resync({ trigger, concurrency: 2, deadline: begun + 4_000 });
      expect(Date.now() - begun).toBeLessThan(30_000);
      expect((await place.api.get(deployment, 'fresh')).spec).toMatchObject({ replicas: 1 });
      expect((await place.api.get(deployment, 'drifted')).spec).toMatchObject({ replicas: 1 });
      expect(report.undone).toEqual([]);
      const keys = new Set(report.failures.map(({ key }) => key.split('/')[1]));
      expect([...keys].toSorted()).toEqual(bad);
      // The status of each failing resource reports that, although its time was used up.
      const live = await place.api.get(foo, 'bad-0');
      expect(condition(live, 'Reconciling')?.reason).toMatch(/^(Unreachable|TooManyRequests)$/);
      expect(live.status?.observedGeneration).toBe(-1);
    },
  );
});

test.concurrent('C-11 a resource that used up its time is resumed in the same run', async () => {
  const place = await engine.place();
  const good = Array.from({ length: 10 }, (_, at) => `good-${at}`);
  const late = bad.slice(0, 2);
  for (const name of [...good, ...late]) await birth(place, name);
  const { namespace } = place;
  // Lets the first write of each resource hang, and succeed when it is sent again.
  for (const name of late)
    engine.cluster.faults.add({
      user: engineUser,
      namespace,
      verb: 'patch',
      resource: 'deployments',
      name,
      nth: 1,
      effect: { kind: 'delay', ms: 60_000 },
    });
  const report = await place.resync({ concurrency: 4, deadline: Date.now() + 8_000 });
  expect(report.failures).toEqual([]);
  expect(report.outcomes).toMatchObject({ created: 12 });
  expect(report.resources.reconciled).toBe(12);
});

test('C-11 a kind whose list hangs leaves half of the time to the other kinds', async () => {
  const place = await engine.place();
  await place.api.create(website, 'w', { spec: { imageTag: 'v1', nodePort: place.nodePort() } });
  await birth(place, 'f');
  const { namespace } = place;
  engine.cluster.faults.add({
    user: engineUser,
    namespace,
    verb: 'list',
    resource: 'websites',
    effect: { kind: 'delay', ms: 60_000 },
  });
  const report = await place.resync({ deadline: Date.now() + 4_200 });
  expect(report.incomplete.map(({ kind }) => kind)).toEqual(['websites.kubecon.my.domain']);
  expect(report.outcomes.created).toBe(1);
  expect(report.undone).toEqual([]);
});
