import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deployment } from '../../shared/kinds/child-types/apps.ts';
import { eventType } from '../../shared/reconcile/commit.ts';
import { foo } from '../../systems/foo.ts';
import { website } from '../../systems/website.ts';
import { faultsIn, look } from './desired.ts';
import { type Engine, engineUser, openEngine, type Place, type Settings } from './engine.ts';
import { requestCounts } from './request-counts.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ controllers: 'paused' });
});
afterAll(() => engine.stop());

let place: Place;
beforeEach(async () => {
  place = await engine.place();
});
afterEach(() => engine.cluster.undisturb());

/** The controllers do all that is to be done. */
async function control(): Promise<void> {
  const { controllers } = engine.cluster;
  controllers.resume();
  await controllers.settled();
  controllers.pause();
}

/** Settling in simulated time, with what others do in each pause. */
function settling(...pauses: readonly (() => Promise<unknown>)[]): Partial<Settings> {
  let waited = 0;
  let at = 0;
  return {
    settleSeconds: 15,
    now: () => new Date(Date.now() + waited),
    async wait(ms) {
      waited += ms;
      await pauses[at++]?.();
    },
  };
}

const idle = async (): Promise<void> => undefined;

/** What the run wrote, in order. */
const writes = () =>
  place
    .requests()
    .filter(({ verb }) => verb !== 'list')
    .map(({ verb, resource, subresource, status }) =>
      [verb, subresource === '' ? resource : `${resource}/${subresource}`, status].join(' '),
    );

const createFoo = () => place.api.create(foo, 'f', { spec: { deploymentName: 'a', replicas: 1 } });
const statusOf = async () => (await place.api.get(foo, 'f')).status;
const edit = (spec: object) => place.api.patch(foo, 'f', { spec: { ...spec } });

describe('a cold run', () => {
  test.each([
    ['at the first look', [control], 2],
    ['at the third look', [idle, idle, control], 4],
  ])(
    'writes each child once and one status, for resources that become Ready %s',
    async (_, pauses, lists) => {
      const count = 40;
      for (let at = 0; at < count; at++)
        await place.api.create(website, `w${at}`, {
          spec: { imageTag: 'v1', nodePort: place.nodePort() },
        });
      engine.cluster.requests.reset();
      const report = await place.tick({ kinds: [website], ...settling(...pauses) });
      expect(requestCounts(engine)).toEqual({
        'list websites': lists,
        'list deployments': lists,
        'list services': lists,
        'patch deployments': count,
        'patch services': count,
        'patch websites/status': count,
      });
      expect(report).toMatchObject({
        resources: { total: count, unchanged: 0, reconciled: count },
        outcomes: { created: 2 * count, updated: 0, failed: 0, skipped: 0 },
        statusWrites: count,
        ...{ failures: [], undone: [] },
      });
      for (const { status } of await place.api.list(website))
        expect(status).toMatchObject({ conditions: [{ type: 'Ready', status: 'True' }] });
    },
  );

  test('without settling writes the status at once', async () => {
    await createFoo();
    await place.tick();
    expect(await statusOf()).toMatchObject({
      conditions: [{ type: 'Ready', status: 'False' }, { type: 'Reconciling' }],
    });
  });
});
