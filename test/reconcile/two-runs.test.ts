import { afterAll, beforeAll, expect, test } from 'vitest';
import { website } from '../../systems/website.ts';
import { type Around, eachCall } from './calls.ts';
import { type Engine, isWriteRequest, openEngine } from './engine.ts';

let engine: Engine;
beforeAll(async () => {
  engine = await openEngine({ controllers: 'paused' });
});
afterAll(() => engine.stop());

/** Of a busy machine; with more slots more resources are taken by both at once. */
const slow = { deadline: Date.now() + 600_000, concurrency: 4 };

const count = 200;
/** Of each Website a Deployment, a Service and a status. */
const needed = 3 * count;

test('two runs for the same tick write little more than one, and read once for each conflict', async () => {
  const place = await engine.place([website]);
  for (let at = 0; at < count; at++) {
    const spec = { imageTag: 'latest', nodePort: place.nodePort() };
    await place.api.create(website, `site-${at}`, { spec });
  }
  const reports = await Promise.all([place.tick(slow), place.tick(slow)]);
  const writes = place.requests().filter(isWriteRequest);
  expect(reports.flatMap(({ failures }) => failures)).toEqual([]);
  expect(writes.filter(({ status }) => status < 300)).toHaveLength(needed);
  expect(writes.length).toBeLessThanOrEqual(1.1 * needed);
  const conflicts = writes.filter(({ status }) => status === 409);
  const reads = place.requests().filter(({ verb }) => verb === 'get');
  expect(conflicts.length).toBeGreaterThan(0);
  // A run that has written a part of a resource reads that, too.
  expect(reads.length).toBeLessThanOrEqual(1.1 * conflicts.length + 1);
  const { outcomes, statusWrites } = await place.tick();
  expect({ ...outcomes, statusWrites }).toMatchObject({ created: 0, updated: 0, statusWrites: 0 });
}, 60_000);

const second = 1000;

test.each([
  { reason: 'there is time', lateMs: 0, undone: [] },
  { reason: 'the deadline is over', lateMs: 60 * second, undone: ['site'] },
])('what another run writes first is surveyed again, or left: $reason', async (one) => {
  const place = await engine.place([website]);
  const spec = { imageTag: 'latest', nodePort: place.nodePort() };
  await place.api.create(website, 'site', { spec });
  let isWritten = false;
  const writeBefore: Around = async (what, call) => {
    if (what === 'apply Deployment site' && !isWritten) {
      isWritten = true;
      await place.tick();
    }
    return call();
  };
  const started = Date.now();
  const report = await place.tick({
    now: () => new Date(isWritten ? Date.now() + one.lateMs : started),
    deadline: started + 30 * second,
    through: (cluster) => eachCall(cluster, writeBefore),
  });
  expect(report).toMatchObject({
    ...{ failures: [], statusWrites: 0, outcomes: { created: 0, updated: 0, failed: 0 } },
    undone: one.undone.map((name) => `websites.kubecon.my.domain ${place.namespace}/${name}`),
  });
  expect(place.requests().filter(({ verb }) => verb === 'get')).toHaveLength(1);
});

test('what another run writes first, and is deleted then, is not left to the next run', async () => {
  const place = await engine.place([website]);
  const spec = { imageTag: 'latest', nodePort: place.nodePort() };
  await place.api.create(website, 'site', { spec });
  let isWritten = false;
  const writeAndDelete: Around = async (what, call) => {
    if (what === 'list deployments' && isWritten) await place.api.remove(website, 'site');
    if (what === 'apply Deployment site' && !isWritten) {
      isWritten = true;
      await place.tick();
    }
    return call();
  };
  const report = await place.tick({ through: (cluster) => eachCall(cluster, writeAndDelete) });
  expect(await place.api.find(website, 'site')).toBeUndefined();
  expect(report).toMatchObject({ failures: [], undone: [] });
});
