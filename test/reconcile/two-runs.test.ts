import { afterAll, beforeAll, expect, test } from 'vitest';
import { website } from '../../systems/website.ts';
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

test('two runs for the same tick write little more than one', async () => {
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
  const { outcomes, statusWrites } = await place.tick();
  expect({ ...outcomes, statusWrites }).toMatchObject({ created: 0, updated: 0, statusWrites: 0 });
}, 60_000);
